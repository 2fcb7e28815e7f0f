#include "ui/shell/status.h"

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text/text.h"
#include "core/evaluate/explain.h"

#include <cmath>

namespace ringside
{

namespace
{

std::string said(const Term& term, const std::string& value, std::string_view convention)
{
    return fmt::format("{} = {} = {}\n\n{}{}{}", term.formula, term.working, value, term.source,
                       term.source.empty() || convention.empty() ? "" : "\n", convention);
}

std::string gpus_tip(const Frame& frame)
{
    const Scenario& s = frame.now.scenario;
    return fmt::format("n = t \u00d7 cp \u00d7 p \u00d7 N = {} \u00d7 {} \u00d7 {} \u00d7 {} = {}\n\nTensor, "
                       "context and pipeline ranks, and replicas.",
                       s.parallel.tensor, s.parallel.context, s.parallel.pipeline, data_parallel(s),
                       s.cluster.gpus);
}

std::string step_tip(const Frame& frame)
{
    const StepTime& t = frame.now.report->step;
    const auto seconds = [](double value) { return format_seconds(Seconds(value)); };
    const double between = t.tensor_comm + t.context_comm + t.expert_comm + t.pipeline_comm + t.data_exposed;
    return fmt::format("compute + bubble + exposed communication + optimizer = {} + {} + {} + {} = {}\n\n"
                       "MFU {}, all of attention\u2019s scores counted, against the dense peak (Chowdhery et "
                       "al. 2022, arXiv 2204.02311, appendix B). \u201cStep time\u201d has every part.",
                       seconds(t.compute), seconds(t.bubble), seconds(between), seconds(t.optimizer),
                       seconds(t.total()), format_percent(t.mfu()));
}

std::string rate_tip(const Frame& frame)
{
    const StepTime& t = frame.now.report->step;
    return fmt::format("tokens per step / step time / GPUs = {} / {} / {}\n\n{} tokens/s in all.",
                       grouped(std::llround(t.tokens)), format_seconds(Seconds(t.total())),
                       grouped(frame.now.scenario.cluster.gpus), format_count(t.tokens_per_second()));
}

std::string bubble_tip(const Frame& frame)
{
    const Term term = explain_step_bubble(*frame.now.report);
    const double drawn = frame.now.report->pipeline.timeline.bubble_of_total();
    return said(term, format_percent(term.value),
                fmt::format("Of the schedule in the units of its stage times, as the pipeline view draws it, "
                            "it is {}.",
                            format_percent(drawn)));
}

} // namespace

std::string memory_tip(const Frame& frame)
{
    const MemoryReport& memory = frame.now.report->memory;
    const Term term = explain_total(memory, memory.fullest);
    return said(
        term, format_gigabytes(memory.worst().total()) + " GB",
        fmt::format("The peak-memory stage, {}, in decimal GB against the nameplate.", memory.fullest));
}

std::vector<StatusFact> facts_of_scenario(const Frame& frame)
{
    if (!frame.valid())
    {
        return {{"the picture shows the last valid layout"}};
    }
    const Report& r = *frame.now.report;
    const auto gpus = frame.now.scenario.cluster.gpus;
    const double each = r.step.tokens_per_second() / static_cast<double>(gpus);
    return {{fmt::format("step {}", format_seconds(Seconds(r.step.total()))), step_tip},
            {fmt::format("MFU {}", format_percent(r.step.mfu())), step_tip},
            {fmt::format("{} tokens/s/GPU", grouped(std::llround(each))), rate_tip},
            {fmt::format("bubble {}", format_percent(explain_step_bubble(r).value)), bubble_tip},
            {counted(gpus, "GPU"), gpus_tip}};
}

} // namespace ringside
