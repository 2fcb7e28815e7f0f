// My run: a real run beside its prediction. Where its step's time goes, what fills its memory, what to do
// next.
#include "ui/views/lab/run/pages.h"

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 3> kRunPages{"run/step", "run/memory", "run/next"};

double length_on_show(const Frame& frame, const MyRunState& state)
{
    const RunPicture& picture = state.picture(frame);
    const double run =
        picture.steps.empty() ? 0 : picture.steps[std::min(state.step, picture.steps.size() - 1)].total;
    return std::max(run, picture.predicted.total);
}

class RunView final : public PagedView<MyRunState>
{
public:
    RunView() : PagedView(kRunPages, {&run_step_page, &run_memory_page, &run_next_page}) {}

    ViewKeys keys() override
    {
        ViewKeys keys{turn_key("Step, memory, what to do next"),
                      {"E", "Open the example", [](const KeyPress& k) { k.out.push(RunCommand::example); }},
                      {"K", "Keep this run, to compare it with the next",
                       [](const KeyPress& k)
                       {
                           if (k.frame.run != nullptr)
                           {
                               k.out.push(k.frame.run->other ? RunCommand::forget : RunCommand::keep);
                           }
                       }},
                      {"L", "The trace\u2019s lanes, or the log\u2019s times", flips(state_.curve)}};
        add_zoom(keys, state_.zoom, [this](const Frame& frame) { return length_on_show(frame, state_); });
        return keys;
    }
};

} // namespace

extern const ViewInfo run_view{30,
                               "run",
                               ViewGroup::lab,
                               "My run",
                               "My run",
                               "A real run\u2019s log, trace or snapshot beside its prediction, part by part",
                               {"model", "gpus", "software", "tensor", "pipeline", "micro_batch"},
                               make_view<RunView>,
                               kRunPages,
                               ViewRole::run};

} // namespace ringside
