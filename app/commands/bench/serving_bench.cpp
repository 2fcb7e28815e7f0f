// `ringside bench serving`: how far computed serving is from measured rows, by model, accelerator and engine,
// as it ships and with the model left out of the fit.
#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "app/files/files.h"
#include "core/base/json/json_text.h"
#include "core/evaluate/cases.h"
#include "core/evaluate/serving_accuracy.h"
#include "core/scenario/json/serving_json.h"

#include <map>

namespace ringside
{

using nlohmann::json;

namespace
{

std::vector<ServedRow> all_served_rows(const Opened& opened)
{
    std::vector<ServedRow> rows;
    for (const auto& file : json_files(opened.assets / "measured/serving"))
    {
        const json document = or_end(read_json_file(file), file.string());
        auto set = or_end(served_rows(document, file.stem().string(), opened.presets), file.string());
        std::ranges::move(set, std::back_inserter(rows));
    }
    return rows;
}

// As they were when the bands were made; rows that they lack have none.
void take_left_out(std::vector<ServedRow>& rows, const ServingEvidence& evidence)
{
    std::map<std::string, std::size_t> next;
    for (ServedRow& row : rows)
    {
        const auto own = evidence.left_out.find(row.set);
        const std::size_t from = next[row.set];
        next[row.set] += kServingMeasures;
        if (own != evidence.left_out.end() && from + kServingMeasures <= own->second.size())
        {
            std::copy_n(own->second.begin() + static_cast<std::ptrdiff_t>(from), kServingMeasures,
                        row.left_out.begin());
        }
    }
}

std::string error_cell(const std::vector<const ServedRow*>& rows, ServingMeasure measure)
{
    const MedianError now = median_error(rows, measure, false);
    const MedianError without = median_error(rows, measure, true);
    return now.rows == 0 ? ""
                         : fmt::format("{} {} ({})", now.rows, percent_text(now.median, 1),
                                       without.rows == 0 ? "-" : percent_text(without.median, 1));
}

void print_served(const std::vector<ServedRow>& rows)
{
    std::map<std::string, std::vector<const ServedRow*>> kinds;
    for (const ServedRow& row : rows)
    {
        kinds[row.kind()].push_back(&row);
        kinds["all rows"].push_back(&row);
    }
    TextTable table({{"rows, median error (left out)", -40}, {"TPOT", 22}, {"TTFT", 22}, {"tokens/s", 22}});
    for (const auto& [kind, own] : kinds)
    {
        table.add(kind, error_cell(own, ServingMeasure::tpot), error_cell(own, ServingMeasure::ttft),
                  error_cell(own, ServingMeasure::rate));
    }
    say("{}", table.text(" "));
}

void print_serving_bands(const ServingEvidence& e)
{
    TextTable table({{"measured over computed", -24}, {"low", 6}, {"high", 6}, {"covered", 8}});
    const auto row = [&](const char* name, const ServingBand& band)
    {
        table.add(name, fmt::format("{:.2f}", band.low), fmt::format("{:.2f}", band.high),
                  percent_text(band.coverage, 0));
    };
    row("TPOT", e.tpot);
    row("TTFT", e.ttft);
    row("tokens/s", e.rate);
    say("\n{}", table.text(" "));
}

struct FarRow
{
    double log = 0;
    const ServedRow* row = nullptr;
    std::size_t measure = 0;
};

void print_worst(const std::vector<ServedRow>& rows)
{
    constexpr std::size_t kWorst = 10;
    constexpr std::array<const char*, kServingMeasures> kNames{"TPOT", "TTFT", "tokens/s"};
    std::vector<FarRow> far;
    for (const ServedRow& row : rows)
    {
        for (std::size_t m = 0; m < kServingMeasures; ++m)
        {
            if (row.ratio[m] > 0)
            {
                far.push_back({std::abs(std::log(row.ratio[m])), &row, m});
            }
        }
    }
    std::ranges::sort(far, std::greater<>(), &FarRow::log);
    TextTable table({{"furthest off", -60}, {"", -9}, {"measured", 10}, {"computed", 10}});
    for (std::size_t i = 0; i < std::min(kWorst, far.size()); ++i)
    {
        const FarRow& f = far[i];
        table.add(f.row->kind() + ": " + f.row->name.substr(0, 28), kNames[f.measure],
                  fmt::format("{:.4g}", f.row->measured[f.measure]),
                  fmt::format("{:.4g}", f.row->measured[f.measure] * f.row->ratio[f.measure]));
    }
    say("\n{}", table.text(" "));
}

json served_json(const std::vector<ServedRow>& rows)
{
    return json_list(rows,
                     [](const ServedRow& row) -> json
                     {
                         return {{"set", row.set},     {"name", row.name},
                                 {"kind", row.kind()}, {"measured", row.measured},
                                 {"ratio", row.ratio}, {"left_out", row.left_out}};
                     });
}

} // namespace

int run_bench_serving(const BenchOptions& options)
{
    const Opened& opened = open_presets(options);
    std::vector<ServedRow> rows = all_served_rows(opened);
    if (!options.bands.empty())
    {
        leave_models_out(rows);
        end_with(save_text(options.bands, to_json(serving_evidence(rows)).dump(1) + "\n"));
    }
    else
    {
        take_left_out(rows, opened.presets.serving->evidence);
    }
    const ServingEvidence evidence = serving_evidence(rows);
    if (options.json)
    {
        print_document({{"rows", served_json(rows)}, {"bands", json(to_json(evidence))}});
        return kDone;
    }
    print_served(rows);
    print_serving_bands(evidence);
    print_worst(rows);
    return kDone;
}

} // namespace ringside
