// `ringside bench accuracy`: how far steps are off by source of measured rows, fitted and left out.
#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "app/files/measured_file.h"
#include "core/base/json/json_text.h"
#include "core/evaluate/accuracy.h"

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

int run_bench_accuracy(const CommonOptions& options)
{
    const Opened opened = open_presets(options);
    const std::vector<MeasuredSet> sets =
        or_end(measured_sources(opened.assets, opened.presets), "assets/measured/steps");
    std::vector<SourceAccuracy> sources;
    for (std::size_t i = 0; i < sets.size(); ++i)
    {
        sources.push_back(source_accuracy(sets, i));
    }
    if (options.json)
    {
        json out = json::array();
        for (const SourceAccuracy& source : sources)
        {
            out.push_back(source_json(source));
        }
        print_document({{"sources", std::move(out)}, {"spread_in_groups", spread_in_groups(sources)}});
    }
    else
    {
        print_sources(sources);
    }
    return kDone;
}

} // namespace ringside
