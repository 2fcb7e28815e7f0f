// `ringside bench accuracy`: how far steps are off by source of measured rows, fitted and left out.
#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "app/files/asset_file.h"
#include "core/base/json/json_text.h"
#include "core/evaluate/accuracy.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

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

const AccuracyRow& worst_of(const SourceAccuracy& source)
{
    return *std::max_element(source.rows.begin(), source.rows.end(),
                             [](const AccuracyRow& a, const AccuracyRow& b)
                             { return std::abs(a.error) < std::abs(b.error); });
}

void print_sources(const std::vector<SourceAccuracy>& sources)
{
    Table table({{"source", -22}, {"rows", 5}, {"mean", 8}, {"left out", 9}, {"worst", 8}, {"  row", -50}});
    double mean = 0;
    double left_out = 0;
    for (const SourceAccuracy& source : sources)
    {
        const AccuracyRow& worst = worst_of(source);
        table.add(source.source, source.rows.size(), percent_text(source.mean, 1),
                  percent_text(source.left_out, 1), signed_percent_text(worst.error, 1), "  " + worst.name);
        mean += source.mean / static_cast<double>(sources.size());
        left_out += source.left_out / static_cast<double>(sources.size());
    }
    table.add("mean of the sources", "", percent_text(mean, 1), percent_text(left_out, 1), "", "");
    say("{}", table.text(" "));
}

} // namespace

int run_bench_accuracy(const CommonOptions& options)
{
    const Opened opened = open_presets(options);
    std::vector<MeasuredSet> sets;
    for (const std::filesystem::path& file : json_files(opened.assets / "measured/steps"))
    {
        const json firm = firm_cases(or_end(read_json_file(file), file.string()));
        if (!firm.at("cases").empty())
        {
            sets.push_back(or_end(measured_set(firm, file.stem().string(), opened.presets), file.string()));
        }
    }
    const std::vector<SourceAccuracy> sources = accuracy(sets);
    if (options.json)
    {
        json out = json::array();
        for (const SourceAccuracy& source : sources)
        {
            out.push_back(source_json(source));
        }
        print_document({{"sources", std::move(out)}});
    }
    else
    {
        print_sources(sources);
    }
    return kDone;
}

} // namespace ringside
