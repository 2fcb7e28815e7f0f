#include "core/evaluate/own_software.h"

#include <fmt/format.h>

#include "core/base/minimize.h"
#include "core/base/ranges.h"
#include "core/base/text/find_by.h"
#include "core/base/text/text.h"
#include "core/evaluate/bands.h"
#include "core/model/weights.h"
#include "core/performance/step_time.h"
#include "core/scenario/fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr double kNoise = 0.06; // of a measured step's logarithm
constexpr std::size_t kMostLetters = 40;
constexpr std::ptrdiff_t kFirst = 3; // steps of a run that are seen before the next

struct Moved
{
    std::string_view name;
    double Software::*member;
    double prior;      // of the logarithm of its factor
    double offset = 0; // that is added before it is multiplied, so that nothing can become something
};
constexpr std::array kPriors{
    Moved{"products", &Software::products, 0.3}, Moved{"elementwise", &Software::elementwise, 0.3},
    Moved{"launch", &Software::launch, 0.5}, Moved{"step_ms", &Software::step_ms, 1, 5}};

using Rows = std::vector<const MeasuredRow*>;
using Logs = std::vector<double>; // of the factors, by kPriors

Software moved(Software software, const Logs& logs)
{
    for (std::size_t i = 0; i < kPriors.size(); ++i)
    {
        const Field<Software>& field =
            *find_by(fields_of(Software{}), kPriors[i].name, &Field<Software>::name);
        const double offset = kPriors[i].offset;
        double& value = software.*kPriors[i].member;
        value = std::clamp((value + offset) * std::exp(logs[i]) - offset, field.least, field.most);
    }
    return software;
}

// The logarithm of computed over measured.
double error_with(const MeasuredRow& row, const Software& software)
{
    Scenario s = row.scenario;
    s.software = software;
    return std::log(step_time(s).total() / row.seconds);
}

struct Fit
{
    Logs logs;
    double cost = 0;
};

// Quadratic for errors of the usual size, linear beyond, so that one odd step moves little.
double loss_of(double error)
{
    constexpr double kUsual = 2;
    const double x = error / kNoise / kUsual;
    return 2 * kUsual * kUsual * (std::sqrt(1 + x * x) - 1);
}

// The likeliest factors given these rows.
Fit fit_rows(const Rows& rows, const Software& software)
{
    const auto cost = [&](const Logs& logs)
    {
        const Software at = moved(software, logs);
        double sum = 0;
        for (const MeasuredRow* row : rows)
        {
            sum += loss_of(error_with(*row, at));
        }
        for (std::size_t i = 0; i < kPriors.size(); ++i)
        {
            sum += std::pow(logs[i] / kPriors[i].prior, 2);
        }
        return sum;
    };
    constexpr double kEdge = 0.1;
    constexpr int kMoves = 120;
    Minimum best = minimize(cost, Logs(kPriors.size(), 0.0), kEdge, kMoves, 1e-6);
    best = minimize(cost, best.at, -kEdge, kMoves, 1e-6);
    return {best.at, best.value};
}

Rows rows_of(std::span<const MeasuredRow> rows)
{
    return list_of<const MeasuredRow*>(rows, [](const MeasuredRow& row) { return &row; });
}

// What the rows say they ran; null where they say nothing, or several.
const Software* named_by(const Rows& rows)
{
    const Software& first = rows.front()->scenario.software;
    const bool one = !first.inferred && std::ranges::all_of(rows, [&](const MeasuredRow* row)
                                                            { return row->scenario.software == first; });
    return one ? &first : nullptr;
}

// The software that these rows fit best with, its constants moved.
Software nearest_to(const Rows& rows, const Presets& presets)
{
    if (const Software* named = named_by(rows))
    {
        return *named;
    }
    Software best = rows.front()->scenario.software;
    double least = std::numeric_limits<double>::infinity();
    for (const SoftwarePreset& preset : presets.software)
    {
        const double cost = preset.based_on.empty() ? fit_rows(rows, preset.software).cost : least;
        best = cost < least ? preset.software : best;
        least = std::min(least, cost);
    }
    return best;
}

Issues faults_of(const MeasuredSet& set, const std::string& id, const Presets& presets)
{
    Issues issues;
    const bool plain = !id.empty() && id.size() <= kMostLetters && id.front() != '-' &&
                       id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
    add_if(issues, !plain,
           {"name", fmt::format("\"{}\" is no id", id),
            "use up to 40 of a to z, 0 to 9 and -, for example my-cluster"});
    const SoftwarePreset* taken = presets.software_of(id);
    add_if(issues, taken != nullptr && taken->based_on.empty(),
           {"name", fmt::format("\"{}\" comes with the program", id), "give it another name"});
    add_if(issues, set.rows.empty(),
           {"cases", "no row expects a step.time_s", "give measured steps in seconds"});
    const auto other =
        std::ranges::find_if(set.rows, [&](const MeasuredRow& row)
                             { return row.scenario.software.id != set.rows.front().scenario.software.id; });
    const bool several = other != set.rows.end() && !other->scenario.software.inferred;
    add_if(issues, several,
           {"software",
            several ? fmt::format("the rows name {} and {}", set.rows.front().scenario.software.id,
                                  other->scenario.software.id)
                    : std::string(),
            "fit one software at a time"});
    return issues;
}

ErrorSummary summary_by(const std::vector<OwnSoftware::Row>& rows, double OwnSoftware::Row::*error)
{
    return summarize(list_of<double>(rows, error));
}

// The runs as kinds of rows, each held in what its next step should come to.
std::vector<MeasuredKind> own_kinds(const MeasuredSet& set, const std::string& id, const Presets& presets,
                                    const std::vector<OwnSoftware::Row>& rows)
{
    constexpr double kTail = 1.2816; // of a normal distribution: 80% lie within so many deviations
    double squares = 0;
    for (const OwnSoftware::Row& row : rows)
    {
        squares += std::pow(std::log1p(row.left_out), 2) / static_cast<double>(rows.size());
    }
    const double own = kTail * std::sqrt(squares);
    const BandTable table = presets.evidence != nullptr ? *presets.evidence : BandTable();
    const auto points = list_of<BandRow>(set.rows,
                                         [&](const MeasuredRow& row) -> BandRow
                                         {
                                             RunPoint point = run_point(row.scenario, row.seconds);
                                             point.software = id;
                                             return {set.name, point, 1, row.seconds};
                                         });
    std::vector<MeasuredKind> kinds = kinds_of(points);
    for (MeasuredKind& kind : kinds)
    {
        // A stranger's run beside measured ones is no surer.
        kind.low = std::min(std::max(table.next_low, table.step.low), std::exp(-own));
        kind.high = std::max(std::min(table.next_high, table.step.high), std::exp(own));
    }
    return kinds;
}

SoftwarePreset preset_of(const MeasuredSet& set, const std::string& id, const Software& nearest,
                         const Fit& fit)
{
    SoftwarePreset preset;
    preset.software = moved(nearest, fit.logs);
    preset.software.id = id;
    preset.software.name = fmt::format("{} (own, from {})", id, nearest.name);
    preset.software.inferred = false;
    preset.based_on = nearest.id;
    preset.sources = {fmt::format("{}: {}", set.title.empty() ? set.name : set.title,
                                  counted(std::ssize(set.rows), "measured step"))};
    return preset;
}

} // namespace

Result<OwnSoftware> fit_own_software(const MeasuredSet& set, const std::string& id, const Presets& presets)
{
    if (Issues issues = faults_of(set, id, presets); !issues.empty())
    {
        return issues;
    }
    const Rows rows = rows_of(set.rows);
    const Software nearest = nearest_to(rows, presets);
    const Fit fit = fit_rows(rows, nearest);
    OwnSoftware own;
    own.nearest = nearest.name;
    own.preset = preset_of(set, id, nearest, fit);
    for (const Moved& constant : kPriors)
    {
        own.constants.push_back(
            {constant.name, nearest.*constant.member, own.preset.software.*constant.member});
    }
    for (const MeasuredRow* row : rows)
    {
        Rows others = rows;
        std::erase(others, row);
        const double left_out =
            others.empty() ? 0 : error_with(*row, moved(nearest, fit_rows(others, nearest).logs));
        own.rows.push_back({row->name, row->seconds, std::expm1(error_with(*row, nearest)),
                            std::expm1(error_with(*row, own.preset.software)), std::expm1(left_out)});
    }
    own.before = summary_by(own.rows, &OwnSoftware::Row::before);
    own.after = summary_by(own.rows, &OwnSoftware::Row::after);
    own.left_out = rows.size() > 1 ? summary_by(own.rows, &OwnSoftware::Row::left_out) : ErrorSummary{};
    own.preset.measured = own_kinds(set, id, presets, own.rows);
    own.preset.note = summary_of(own);
    own.preset.software.evidence = {with_own(presets.evidence, own.preset.measured)};
    return own;
}

std::string summary_of(const OwnSoftware& own)
{
    const std::string seen = fmt::format("{} fitted to {}: off by {} before, {} after", own.nearest,
                                         counted(std::ssize(own.rows), "step"),
                                         percent_text(own.before.mean, 1), percent_text(own.after.mean, 1));
    return own.left_out.n > 0
               ? fmt::format("{}, {} on a step it has not seen", seen, percent_text(own.left_out.mean, 1))
               : seen + "; one step cannot be left out";
}

json to_json(const OwnSoftware& own)
{
    json out = {{"software", to_json(own.preset)},
                {"nearest", own.nearest},
                {"constants", json::object()},
                {"mean_before", own.before.mean},
                {"mean", own.after.mean},
                {"mean_left_out", own.left_out.n > 0 ? json(own.left_out.mean) : json()},
                {"rows", json::array()},
                {"says", summary_of(own)}};
    for (const OwnSoftware::Constant& constant : own.constants)
    {
        out["constants"][std::string(constant.name)] = {{"before", constant.before},
                                                        {"after", constant.after}};
    }
    for (const OwnSoftware::Row& row : own.rows)
    {
        out["rows"].push_back({{"name", row.name},
                               {"measured_s", row.seconds},
                               {"error_before", row.before},
                               {"error", row.after},
                               {"error_left_out", own.left_out.n > 0 ? json(row.left_out) : json()}});
    }
    return out;
}

namespace
{

bool one_run(const Scenario& a, const Scenario& b)
{
    Model of_a = a.model;
    of_a.name = b.model.name;
    of_a.preset = b.model.preset;
    return of_a == b.model && a.cluster.gpu.id == b.cluster.gpu.id && a.software == b.software &&
           a.training.precision == b.training.precision;
}

} // namespace

std::vector<RunCheck> check_runs(const std::vector<MeasuredSet>& sets, const Presets& presets)
{
    std::vector<RunCheck> checks;
    for (const MeasuredSet& set : sets)
    {
        std::vector<Rows> runs;
        for (const MeasuredRow& row : set.rows)
        {
            const auto own = std::ranges::find_if(runs, [&](const Rows& run)
                                                  { return one_run(run.front()->scenario, row.scenario); });
            own == runs.end() ? runs.push_back({&row}) : own->push_back(&row);
        }
        std::erase_if(runs, [](const Rows& run) { return std::ssize(run) <= kFirst; });
        for (const Rows& run : runs)
        {
            RunCheck check{set.name,
                           fmt::format("{}, {}",
                                       format_count(static_cast<double>(
                                           count_parameters(run.front()->scenario.model).total)),
                                       counted(std::ssize(run), "step")),
                           {}};
            for (auto at = run.begin() + kFirst; at != run.end(); ++at)
            {
                const Rows before(at - kFirst, at);
                const Software nearest = nearest_to(before, presets);
                const Software own = moved(nearest, fit_rows(before, nearest).logs);
                check.ratios.push_back(std::exp(-error_with(**at, own)));
            }
            checks.push_back(std::move(check));
        }
    }
    return checks;
}

NextRun next_run(const std::vector<MeasuredSet>& sets, const Presets& presets)
{
    const std::vector<RunCheck> runs = check_runs(sets, presets);
    std::vector<std::pair<double, double>> ratios; // ratio, weight
    for (const RunCheck& run : runs)
    {
        const auto beside = std::ranges::count(runs, run.source, &RunCheck::source);
        for (const double ratio : run.ratios)
        {
            ratios.emplace_back(ratio, 1 / static_cast<double>(beside * std::ssize(run.ratios)));
        }
    }
    const double tail = (1 - kHeld) / 2;
    return {std::min(0.99, percentile(ratios, tail)), std::max(1.01, percentile(ratios, 1 - tail))};
}

} // namespace ringside
