#include "app/commands/console/serving_text.h"

#include <fmt/format.h>

#include "app/commands/console/table.h"
#include "core/base/text/text.h"
#include "core/scenario/serving.h"

namespace ringside
{

namespace
{

std::string seconds_text(double seconds)
{
    return format_seconds(Seconds(seconds));
}

TextTable times_table(const Scenario& s, const ServingFigures& f)
{
    TextTable table({{"", -6}, {"mean", 10}, {"80% range", 22}, {"p50", 10}, {"p90", 10}, {"p99", 10}});
    const auto row = [&](const char* name, const RequestTimes& t, std::string range)
    {
        table.add(name, seconds_text(t.mean), std::move(range), seconds_text(t.p50), seconds_text(t.p90),
                  seconds_text(t.p99));
    };
    const auto range = [&](double mean, ServingMeasure measure)
    {
        const Band band = serving_band(s, measure);
        return fmt::format("{} to {}", seconds_text(mean * band.low), seconds_text(mean * band.high));
    };
    row("TTFT", f.ttft, range(f.ttft.mean, ServingMeasure::ttft));
    row("TPOT", f.tpot, range(f.tpot.mean, ServingMeasure::tpot));
    row("E2E", f.e2e, "");
    return table;
}

TextTable step_table(const EngineTime& step)
{
    TextTable table({{"part of a decoding step", -34}, {"time", 10}, {"share", 8}});
    const std::pair<const char*, double> parts[] = {{"weights read", step.weights},
                                                    {"KV cache read", step.kv},
                                                    {"products beyond reading weights", step.compute},
                                                    {"kernel starts and gaps", step.launch},
                                                    {"all-reduces", step.reduce},
                                                    {"experts' tokens", step.exchange},
                                                    {"sampling and host", step.host}};
    for (const auto& [name, part] : parts)
    {
        if (part > 0)
        {
            table.add(name, seconds_text(part), format_percent(part / step.total()));
        }
    }
    return table;
}

} // namespace

std::string serving_text(const Scenario& s, const ServingFigures& f)
{
    const Serving& serving = *s.serving;
    std::string text = fmt::format("{} with {} on {} x {}: {} requests\n", s.model.name, serving.engine.name,
                                   f.gpus, s.cluster.gpu.name, f.requests);
    const std::string room = fmt::format("weights {} on a GPU, cache for {} tokens ({:.0f} mean requests)",
                                         format_bytes(f.weights),
                                         grouped(static_cast<std::int64_t>(f.kv_tokens)), f.most_requests);
    if (!f.fits)
    {
        return text + "Does not fit: " + room + "\n";
    }
    const Band rate = serving_band(s, ServingMeasure::rate);
    return text +
           fmt::format("{}\n{:.0f} output tokens/s ({:.0f} to {:.0f}), {:.0f} per GPU; {:.3g} requests/s, {} "
                       "within the objective; ${:.2f} per million output tokens\n"
                       "{}; batch {:.1f}; {:.0f} preemptions; prefix hits {}\n"
                       "80% range: {}\n\n{}",
                       times_table(s, f).text(), f.output_tokens_per_s, f.output_tokens_per_s * rate.low,
                       f.output_tokens_per_s * rate.high, f.output_tokens_per_s / static_cast<double>(f.gpus),
                       f.requests_per_s, format_percent(f.attained), f.usd_per_million, room, f.batch,
                       f.preemptions, format_percent(f.prefix_hit),
                       serving_evidence_words(s, ServingMeasure::tpot), step_table(f.step).text());
}

std::string serving_text(const Scenario& scenario, const Report& report)
{
    return serving_text(scenario, *report.serving);
}

} // namespace ringside
