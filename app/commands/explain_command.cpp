// `ringside explain`: the figures of a scenario with their ranges, workings and sources, where a step's time
// goes, and the single changes that would free memory.
#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "core/base/text/text.h"
#include "core/evaluate/explain.h"
#include "core/evaluate/levers.h"
#include "core/memory/explain_memory.h"
#include "core/performance/waterfall.h"

#include <array>

namespace ringside
{

namespace
{

using nlohmann::json;

struct ExplainOptions : CommonOptions
{
    std::string file; // scenario
    std::vector<std::string> sets;
};

enum class RestsOn
{
    step_rows,
    memory_rows,
    arithmetic // exact for its inputs, so without a range
};

// A figure by the names of its metrics; those of its range are empty where it has none.
struct RangedFigure
{
    std::string_view metric, low, high;
    RestsOn rests = RestsOn::arithmetic;
};

constexpr std::array kFigures{
    RangedFigure{"model.parameters", "", ""},
    RangedFigure{"memory.card_bytes", "memory.card_low_bytes", "memory.card_high_bytes",
                 RestsOn::memory_rows},
    RangedFigure{"memory.capacity_bytes", "", ""},
    RangedFigure{"step.time_s", "step.time_low_s", "step.time_high_s", RestsOn::step_rows},
    RangedFigure{"step.mfu", "step.mfu_low", "step.mfu_high", RestsOn::step_rows},
    RangedFigure{"run.days", "run.days_low", "run.days_high", RestsOn::step_rows},
    RangedFigure{"run.cost_usd", "run.cost_low_usd", "run.cost_high_usd", RestsOn::step_rows}};

// The metric's value; none where the scenario leaves it open, which JSON writes as null.
json figure_value(std::string_view name, const EvaluatedFile& read)
{
    const Metric* metric = find_metric(name, read.report);
    return metric == nullptr ? json() : metric_value(*metric, read.scenario, read.report);
}

json figures_json(const EvaluatedFile& read)
{
    const std::string step = step_evidence_words(read.scenario, read.report.step.total());
    const std::string memory = memory_evidence_words(read.scenario);
    return json_list(kFigures,
                     [&](const RangedFigure& f) -> json
                     {
                         const Metric* metric = find_metric(f.metric, read.report);
                         return {{"metric", f.metric},
                                 {"value", figure_value(f.metric, read)},
                                 {"unit", metric == nullptr ? "" : metric->unit},
                                 {"low", figure_value(f.low, read)},
                                 {"high", figure_value(f.high, read)},
                                 {"evidence", f.rests == RestsOn::step_rows ? step
                                              : f.rests == RestsOn::memory_rows
                                                  ? memory
                                                  : "follows from the scenario"}};
                     });
}

// How the figures came about, from the bytes of the fullest stage to the messages of data parallelism.
std::vector<Term> terms_of(const EvaluatedFile& read)
{
    const Report& report = read.report;
    const std::size_t stage = report.memory.fullest;
    std::vector<Term> terms{explain_total(report.memory, stage)};
    for (std::size_t c = 0; c < kComponents; ++c)
    {
        terms.push_back(explain(read.scenario, report.memory, stage, static_cast<Component>(c)));
    }
    terms.push_back(explain_step_bubble(report));
    terms.push_back(explain_all_reduce(read.scenario, report));
    terms.push_back(explain_sent_per_rank(read.scenario, report));
    return terms;
}

json term_json(const Term& t)
{
    return {{"label", t.label},     {"value", t.value},     {"unit", t.unit},
            {"formula", t.formula}, {"working", t.working}, {"source", t.source}};
}

json waterfall_json(const StepTime& step)
{
    return json_list(kSlices,
                     [&](std::size_t i) -> json
                     {
                         const auto slice = static_cast<Slice>(i);
                         const SliceNote note = note_of(slice);
                         return {{"part", name_of(slice)},
                                 {"value", step.slices[i]},
                                 {"unit", "s"},
                                 {"of_step", step.slices[i] / step.total()},
                                 {"says", note.says},
                                 {"formula", note.formula},
                                 {"source", note.source}};
                     });
}

json levers_json(const std::vector<Lever>& all)
{
    return json_list(all,
                     [](const Lever& l) -> json
                     {
                         return {{"id", l.id},
                                 {"change", l.name},
                                 {"cost", l.cost},
                                 {"saves_bytes", l.saving.value},
                                 {"extra_s", l.extra.value},
                                 {"fits", l.fits}};
                     });
}

std::string figures_text(const json& figures)
{
    TextTable table({{"figure"}, {"value", 1}, {"unit"}, {"low", 1}, {"high", 1}, {"rests on"}});
    const auto text = [](const json& value)
    { return value.is_number() ? fmt::format("{:.6g}", value.get<double>()) : std::string("-"); };
    for (const json& f : figures)
    {
        table.add(f["metric"].get<std::string>(), text(f["value"]), f["unit"].get<std::string>(),
                  text(f["low"]), text(f["high"]), f["evidence"].get<std::string>());
    }
    table.fit();
    return table.text("  ");
}

std::string terms_text(const std::vector<Term>& terms)
{
    std::string text;
    for (const Term& t : terms)
    {
        text += fmt::format("  {}: {:.6g} {}\n      {}\n      = {}\n", t.label, t.value, t.unit, t.formula,
                            t.working);
        text += t.source.empty() ? "" : fmt::format("      {}\n", t.source);
    }
    return text;
}

// The parts of the step that take time, the longest first.
std::string waterfall_text(const StepTime& step)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < kSlices; ++i)
    {
        order.insert(order.end(), step.slices[i] != 0 ? 1 : 0, i);
    }
    std::ranges::sort(order, std::ranges::greater(), [&](std::size_t i) { return step.slices[i]; });
    std::string text;
    for (const std::size_t i : order)
    {
        const auto slice = static_cast<Slice>(i);
        text += fmt::format("  {}: {}, {} of the step. {}\n", name_of(slice),
                            format_seconds(Seconds(step.slices[i])),
                            format_percent(step.slices[i] / step.total()), note_of(slice).says);
    }
    return text;
}

std::string levers_text(const std::vector<Lever>& all)
{
    std::string text;
    for (const Lever& l : all)
    {
        text +=
            fmt::format("  {}: {} less on the peak-memory GPU, {} more per step{}; {}\n", l.name,
                        format_bytes(l.saving), format_seconds(l.extra), l.fits ? ", and fits" : "", l.cost);
    }
    return text.empty() ? "  no single change frees memory\n" : text;
}

int run_explain(const ExplainOptions& o)
{
    const EvaluatedFile read = evaluate_file(o, o.file, o.sets);
    print_faults(read.warnings, o.file);
    const Report& report = read.report;
    const json figures = figures_json(read);
    const std::vector<Term> terms = terms_of(read);
    const std::vector<Lever> changes = levers(read.scenario, report);
    const std::vector<std::string> notes = remarks(read.scenario, report);
    if (o.json)
    {
        print_document({{"schema", "ringside.explanation/1"},
                        {"figures", figures},
                        {"terms", json_list(terms, term_json)},
                        {"waterfall", waterfall_json(report.step)},
                        {"levers", levers_json(changes)},
                        {"notes", notes}});
        return kDone;
    }
    say("{}\nhow they come about, peak-memory stage\n{}\nwhere the step's time goes\n{}\nsingle changes that "
        "free "
        "memory, the cheapest first\n{}",
        figures_text(figures), terms_text(terms), waterfall_text(report.step), levers_text(changes));
    for (const std::string& note : notes)
    {
        say("note: {}\n", note);
    }
    return kDone;
}

void add_explain_options(CLI::App& app, ExplainOptions& o)
{
    add_scenario_file(app, o.file);
    add_scenario_sets(app, o.sets);
    add_json(app, o);
}

} // namespace

const CliCommand explain_command = command<add_explain_options, run_explain>(
    "explain", "the main figures of a scenario with range, working and source; where a step's time goes, and "
               "which single changes free memory");

} // namespace ringside
