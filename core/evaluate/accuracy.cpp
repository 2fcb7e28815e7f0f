#include "core/evaluate/accuracy.h"

#include "core/base/minimize.h"
#include "core/performance/step_time.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <map>

namespace ringside
{

namespace
{

// What of a software was fitted to measured rows.
constexpr std::array kFitted{&Software::cast_bytes, &Software::routing_bytes, &Software::routing_kernels,
                             &Software::gather, &Software::fp8_products};
constexpr double kFarthest = 2; // shares of the way

// Shares of the way of the constants above, and last a factor on what products reach.
using Shares = std::vector<double>;

Scenario at_shares(Scenario s, const Shares& shares, bool products)
{
    const Software eager;
    for (std::size_t i = 0; i < kFitted.size(); ++i)
    {
        const double share = std::clamp(shares[i], 0.0, kFarthest);
        const double from = eager.*kFitted[i];
        s.software.*kFitted[i] = std::max(0.0, from + share * (s.software.*kFitted[i] - from));
    }
    if (products)
    {
        s.cluster.gpu.calibration.gemm_efficiency *= std::clamp(shares.back(), 0.5, 1.5);
    }
    return s;
}

double error_of(const MeasuredRow& row, const Scenario& scenario)
{
    return step_time(scenario).total() / row.seconds - 1;
}

double mean_by_group(const std::vector<AccuracyRow>& rows, double AccuracyRow::*error)
{
    std::map<std::string, std::pair<double, double>> groups; // sum, count
    for (const AccuracyRow& row : rows)
    {
        auto& [sum, count] = groups[row.group];
        sum += std::abs(row.*error);
        count += 1;
    }
    double all = 0;
    for (const auto& [_, group] : groups)
    {
        all += group.first / group.second;
    }
    return groups.empty() ? 0 : all / static_cast<double>(groups.size());
}

bool is_fitted(const Software& software)
{
    const Software eager;
    return std::any_of(kFitted.begin(), kFitted.end(),
                       [&](double Software::*constant) { return software.*constant != eager.*constant; });
}

// Fitted to these rows; nothing of the way where there are none.
Shares shares_from(const std::vector<const MeasuredRow*>& rows, const std::string& gpu)
{
    Shares start(kFitted.size(), 0.0);
    start.push_back(1);
    if (rows.empty())
    {
        return start;
    }
    const auto loss = [&](const Shares& shares)
    {
        double sum = 0;
        for (const MeasuredRow* row : rows)
        {
            const bool same = row->scenario.cluster.gpu.id == gpu;
            sum += std::abs(std::log1p(error_of(*row, at_shares(row->scenario, shares, same))));
        }
        return sum / static_cast<double>(rows.size());
    };
    constexpr double kEdge = 0.5;
    constexpr int kSteps = 150;
    // Begun anew where it stopped, since a simplex that has shrunk in a corner stays there.
    constexpr int kRounds = 4;
    for (int round = 0; round < kRounds; ++round)
    {
        start = minimize(loss, start, kEdge, kSteps, 1e-4).at;
    }
    const bool known =
        std::any_of(rows.begin(), rows.end(),
                    [&](const MeasuredRow* row) { return row->scenario.cluster.gpu.id == gpu; });
    start.back() = known ? start.back() : 1; // else nothing has held it
    return start;
}

// What other sources measured with this software.
std::vector<const MeasuredRow*> rows_elsewhere(const std::vector<MeasuredSet>& sources,
                                               const MeasuredSet& but, const std::string& software)
{
    std::vector<const MeasuredRow*> rows;
    for (const MeasuredSet& source : sources)
    {
        for (const MeasuredRow& row : source.rows)
        {
            if (&source != &but && row.scenario.software.id == software)
            {
                rows.push_back(&row);
            }
        }
    }
    return rows;
}

} // namespace

SourceAccuracy source_accuracy(const std::vector<MeasuredSet>& sources, std::size_t which)
{
    const MeasuredSet& source = sources[which];
    SourceAccuracy one{source.name, source.title, source.source, {}, 0, 0};
    std::map<std::pair<std::string, std::string>, Shares> shares; // of software and accelerator
    for (const MeasuredRow& row : source.rows)
    {
        const Software& software = row.scenario.software;
        const std::string& gpu = row.scenario.cluster.gpu.id;
        AccuracyRow said{row.name, row.group,   software.id, gpu, row.seconds, error_of(row, row.scenario),
                         0,        row.scenario};
        said.left_out = said.error;
        if (is_fitted(software))
        {
            const auto [at, fresh] = shares.try_emplace({software.id, gpu});
            at->second = fresh ? shares_from(rows_elsewhere(sources, source, software.id), gpu) : at->second;
            said.left_out = error_of(row, at_shares(row.scenario, at->second, true));
        }
        one.rows.push_back(std::move(said));
    }
    one.mean = mean_by_group(one.rows, &AccuracyRow::error);
    one.left_out = mean_by_group(one.rows, &AccuracyRow::left_out);
    return one;
}

const AccuracyRow& worst_of(const SourceAccuracy& source)
{
    assert(!source.rows.empty());
    return *std::ranges::max_element(source.rows, {},
                                     [](const AccuracyRow& row) { return std::abs(row.error); });
}

double mean_of(const std::vector<SourceAccuracy>& sources, double SourceAccuracy::*error)
{
    double sum = 0;
    for (const SourceAccuracy& source : sources)
    {
        sum += source.*error;
    }
    return sources.empty() ? 0 : sum / static_cast<double>(sources.size());
}

double spread_in_groups(const std::vector<SourceAccuracy>& sources)
{
    std::vector<double> differences;
    for (const SourceAccuracy& source : sources)
    {
        for (std::size_t i = 0; i < source.rows.size(); ++i)
        {
            for (std::size_t j = 0; j < i; ++j)
            {
                const AccuracyRow& a = source.rows[i];
                const AccuracyRow& b = source.rows[j];
                if (a.group == b.group)
                {
                    differences.push_back(std::abs(std::log1p(a.left_out) - std::log1p(b.left_out)));
                }
            }
        }
    }
    if (differences.empty())
    {
        return 0;
    }
    const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
    std::nth_element(differences.begin(), middle, differences.end());
    return std::expm1(*middle);
}

nlohmann::json firm_cases(const nlohmann::json& cases)
{
    nlohmann::json firm = cases;
    firm["cases"] = nlohmann::json::array();
    for (const nlohmann::json& entry : cases.value("cases", nlohmann::json::array()))
    {
        const nlohmann::json note =
            entry.is_object() ? entry.value("note", nlohmann::json()) : nlohmann::json();
        if (!note.is_string() || !note.get_ref<const std::string&>().starts_with("[C]"))
        {
            firm["cases"].push_back(entry);
        }
    }
    return firm;
}

} // namespace ringside
