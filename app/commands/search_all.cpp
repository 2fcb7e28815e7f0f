#include "app/commands/search_all.h"

#include "app/commands/console/input.h"
#include "app/commands/console/progress_bar.h"
#include "app/session/layout_searcher.h"

#include <chrono>
#include <thread>

namespace ringside
{

SearchResult search_all(const Scenario& scenario, const SearchLimits& limits, std::size_t threads)
{
    LayoutSearcher searcher(threads);
    searcher.want(scenario, limits);
    const LayoutAnswer* answer = searcher.look();
    ProgressBar bar;
    while (answer->progress < 1)
    {
        bar.show(answer->progress);
        if (threads > 0)
        {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        answer = searcher.look();
    }
    end_with(answer->faults);
    return answer->result;
}

} // namespace ringside
