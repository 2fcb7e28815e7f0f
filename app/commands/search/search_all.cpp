#include "app/commands/search/search_all.h"

#include "app/commands/console/input.h"
#include "app/commands/console/progress_bar.h"
#include "app/session/work_runner.h"
#include "core/planner/search/layout_work.h"

#include <chrono>
#include <thread>

namespace ringside
{

SearchResult search_all(const Scenario& scenario, const SearchLimits& limits, std::size_t threads)
{
    WorkRunner works(threads > 0 ? WorkPace::threaded : WorkPace::sliced, threads);
    const LayoutWork::Request request(scenario, limits);
    auto answer = works.of<LayoutWork>(request);
    ProgressBar bar;
    while (!answer.done())
    {
        bar.show(answer.progress);
        end_with(Capture::cancelled() ? Issues{{"search", "was canceled", ""}} : Issues());
        if (threads > 0)
        {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        works.next_frame();
        answer = works.of<LayoutWork>(request);
    }
    end_with(answer.faults);
    return answer->result;
}

} // namespace ringside
