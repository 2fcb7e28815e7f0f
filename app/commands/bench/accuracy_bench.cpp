// `ringside bench accuracy`: how far steps are off by source of measured rows, fitted and left out.
#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "app/files/files.h"
#include "app/files/measured_file.h"
#include "core/base/json/json_text.h"
#include "core/evaluate/bands.h"
#include "core/evaluate/own_software.h"

namespace ringside
{

using nlohmann::json;

namespace
{

json source_json(const SourceAccuracy& source)
{
    json out = {{"source", source.source}, {"mean", source.mean}, {"left_out", source.left_out}};
    for (const AccuracyRow& row : source.rows)
    {
        out["rows"].push_back({{"name", row.name},
                               {"group", row.group},
                               {"software", row.software},
                               {"gpu", row.gpu},
                               {"error", row.error},
                               {"left_out", row.left_out}});
    }
    return out;
}

void print_sources(const std::vector<SourceAccuracy>& sources)
{
    TextTable table(
        {{"source", -22}, {"rows", 5}, {"mean", 8}, {"left out", 9}, {"worst", 8}, {"  row", -50}});
    for (const SourceAccuracy& source : sources)
    {
        const AccuracyRow& worst = worst_of(source);
        table.add(source.source, source.rows.size(), percent_text(source.mean, 1),
                  percent_text(source.left_out, 1), signed_percent_text(worst.error, 1), "  " + worst.name);
    }
    table.add("mean of the sources", "", percent_text(mean_of(sources, &SourceAccuracy::mean), 1),
              percent_text(mean_of(sources, &SourceAccuracy::left_out), 1), "", "");
    say("{}", table.text(" "));
    say("\nTwo runs of one model differ in their errors by {} in the median.\n",
        percent_text(spread_in_groups(sources), 1));
}

} // namespace

namespace
{

json held_json(const std::vector<HeldRows>& all)
{
    return json_list(
        all,
        [](const HeldRows& one) -> json {
            return {{"name", one.name}, {"rows", one.rows}, {"held", one.share()}, {"width", one.width}};
        });
}

void print_held(const char* title, const std::vector<HeldRows>& all)
{
    TextTable table({{title, -40}, {"rows", 5}, {"held", 8}, {"high / low", 11}});
    std::int64_t rows = 0;
    std::int64_t inside = 0;
    for (const HeldRows& one : all)
    {
        table.add(one.name, one.rows, percent_text(one.share(), 0), fmt::format("{:.2f}", one.width));
        rows += one.rows;
        inside += one.inside;
    }
    table.add("all rows", rows, rows == 0 ? "" : percent_text(HeldRows{"", rows, inside, 0}.share(), 0), "");
    say("\n{}", table.text(" "));
}

void print_runs(const std::vector<RunCheck>& runs)
{
    TextTable table({{"a step of a run after the three before", -40}, {"steps", 5}, {"mean", 8}});
    for (const RunCheck& run : runs)
    {
        const auto errors = list_of<double>(run.ratios, [](double ratio) { return 1 / ratio - 1; });
        table.add(fmt::format("{}: {}", run.source, run.model), errors.size(),
                  percent_text(summarize(errors).mean, 1));
    }
    say("\n{}", table.text(" "));
}

} // namespace

int run_bench_accuracy(const BenchOptions& options)
{
    const Opened& opened = open_presets(options);
    const std::vector<MeasuredSet> sets =
        or_end(measured_sources(opened.assets, opened.presets), "assets/measured/steps");
    std::vector<SourceAccuracy> sources;
    for (std::size_t i = 0; i < sets.size(); ++i)
    {
        sources.push_back(source_accuracy(sets, i, opened.presets));
    }
    const std::vector<MeasuredSet> peaks =
        or_end(measured_peaks(opened.assets, opened.presets), "assets/measured/memory");
    const std::vector<BandRow> steps = band_rows(sources);
    const std::vector<BandRow> memory = memory_rows(peaks);
    if (!options.bands.empty())
    {
        const BandTable table = band_table(sources, sets, peaks, opened.presets);
        end_with(save_text(options.bands, to_json(table).dump(2) + "\n"));
    }
    if (options.json)
    {
        json out = json::array();
        for (const SourceAccuracy& source : sources)
        {
            out.push_back(source_json(source));
        }
        print_document({{"sources", std::move(out)},
                        {"spread_in_groups", spread_in_groups(sources)},
                        {"held_by_source", held_json(held_by_source(steps))},
                        {"held_by_claim", held_json(held_by_claim(steps))},
                        {"memory_held_by_source", held_json(held_by_source(memory))}});
    }
    else
    {
        print_sources(sources);
        print_held("band of a step, its source left out", held_by_source(steps));
        print_held("by what the band rests on", held_by_claim(steps));
        print_held("band of memory, its source left out", held_by_source(memory));
        print_runs(check_runs(sets, opened.presets));
    }
    return kDone;
}

} // namespace ringside
