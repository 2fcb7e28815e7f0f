#include "ui/shell/status.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/explain.h"
#include "core/evaluate/report.h"
#include "core/memory/explain_memory.h"
#include "core/model/stages.h"

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
    const Band band = step_band(frame.now.scenario, *frame.now.report);
    return fmt::format("compute + bubble + exposed communication + optimizer = {} + {} + {} + {} = {}\n\n"
                       "80% range {} to {}: {}.\n\n"
                       "MFU {}, all of attention\u2019s scores counted, against the dense peak (Chowdhery et "
                       "al. 2022, arXiv 2204.02311, appendix B). \u201cStep time\u201d has every part.",
                       seconds(t.compute), seconds(t.bubble), seconds(between), seconds(t.optimizer),
                       seconds(t.total()), seconds(t.total() * band.low), seconds(t.total() * band.high),
                       step_evidence_words(frame.now.scenario, t.total()), format_percent(t.mfu()));
}

// With what 80% of new runs take: "step 1.2 s, 1 s to 1.6 s".
std::string step_words(const Frame& frame)
{
    const double step = frame.now.report->step.total();
    const Band band = step_band(frame.now.scenario, *frame.now.report);
    return fmt::format("step {}, {} to {}", format_seconds(Seconds(step)),
                       format_seconds(Seconds(step * band.low)), format_seconds(Seconds(step * band.high)));
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
    const double drawn = frame.now.report->pipeline->timeline.bubble_of_total();
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
        fmt::format(
            "The peak-memory stage, {}, in decimal GB against the nameplate.\n\n80% range {} to {} GB: {}.",
            memory.fullest, format_gigabytes(Bytes(memory.worst().total().value * memory.low)),
            format_gigabytes(Bytes(memory.worst().total().value * memory.high)),
            memory_evidence_words(frame.now.scenario)));
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
    return {{step_words(frame), step_tip},
            {fmt::format("MFU {}", format_percent(r.step.mfu())), step_tip},
            {fmt::format("{} tokens/s/GPU", grouped(std::llround(each))), rate_tip},
            {fmt::format("bubble {}", format_percent(explain_step_bubble(r).value)), bubble_tip},
            {counted(gpus, "GPU"), gpus_tip}};
}

} // namespace ringside
