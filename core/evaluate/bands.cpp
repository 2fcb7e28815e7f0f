#include "core/evaluate/bands.h"

#include "core/base/ranges.h"
#include "core/evaluate/own_software.h"
#include "core/evaluate/report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace ringside
{

namespace
{

struct Score
{
    std::string_view source;
    double log_ratio = 0;
    double distance = 0;
    double weight = 0;
};

// The least logarithm of a band's end: nothing is known to 1%.
constexpr double kLeastLog = 0.01;

std::vector<Score> scores_of(const std::vector<BandRow>& rows)
{
    BandRule rule;
    rule.kinds = kinds_of(rows);
    std::map<std::string_view, double> count;
    for (const BandRow& row : rows)
    {
        count[row.source] += 1;
    }
    return list_of<Score>(rows,
                          [&](const BandRow& row) -> Score
                          {
                              return {row.source, std::log(row.ratio),
                                      band_at(rule, row.point, row.source).distance,
                                      1 / std::sqrt(count[row.source])};
                          });
}

double widening_of(const std::vector<Score>& scores)
{
    constexpr double kMost = 2;
    constexpr double kStep = 0.05;
    const double all = std::accumulate(scores.begin(), scores.end(), 0.0,
                                       [](double sum, const Score& s) { return sum + s.weight; });
    double best = kLeastWidening;
    double least = std::numeric_limits<double>::infinity();
    for (double w = kLeastWidening; w <= kMost; w += kStep)
    {
        double scale = 0;
        double widths = 0;
        for (const Score& s : scores)
        {
            const double wider = 1 + w * s.distance;
            scale += s.weight * std::abs(s.log_ratio) / wider / all;
            widths += s.weight * std::log(wider) / all;
        }
        const double unlikely = std::log(scale + 1e-9) + widths;
        if (unlikely < least - 1e-12)
        {
            least = unlikely;
            best = w;
        }
    }
    return best;
}

struct Ends
{
    double low = 0; // logarithms
    double high = 0;
};

// The tails of the scores of all sources but one.
Ends ends_of(const std::vector<Score>& scores, double widening, double tail, std::string_view but)
{
    std::vector<std::pair<double, double>> weighted; // score, weight
    for (const Score& s : scores)
    {
        if (s.source != but)
        {
            weighted.emplace_back(s.log_ratio / (1 + widening * s.distance), s.weight);
        }
    }
    return weighted.empty() ? Ends{-kLeastLog, kLeastLog}
                            : Ends{std::min(-kLeastLog, percentile(weighted, tail)),
                                   std::max(kLeastLog, percentile(weighted, 1 - tail))};
}

bool inside(const Ends& ends, double widening, const Score& s)
{
    const double wider = 1 + widening * s.distance;
    return s.log_ratio >= ends.low * wider && s.log_ratio <= ends.high * wider;
}

// The share of rows of sources left out that their bands hold, rows and sources weighed alike.
double held(const std::vector<Score>& scores, double widening, double tail)
{
    std::map<std::string_view, std::pair<double, double>> sources; // inside, rows
    std::map<std::string_view, Ends> ends;
    double rows = 0;
    for (const Score& s : scores)
    {
        const auto [at, fresh] = ends.try_emplace(s.source);
        at->second = fresh ? ends_of(scores, widening, tail, s.source) : at->second;
        const double in = inside(at->second, widening, s) ? 1 : 0;
        sources[s.source].first += in;
        sources[s.source].second += 1;
        rows += in;
    }
    double of_sources = 0;
    for (const auto& [_, source] : sources)
    {
        of_sources += source.first / source.second;
    }
    return (rows / static_cast<double>(scores.size()) + of_sources / static_cast<double>(sources.size())) / 2;
}

double tail_of(const std::vector<Score>& scores, double widening)
{
    constexpr double kStep = 0.005;
    double tail = 0.2;
    while (tail > kStep && held(scores, widening, tail) < kAim)
    {
        tail -= kStep;
    }
    return tail;
}

} // namespace

double percentile(std::vector<std::pair<double, double>> weighted, double share)
{
    std::sort(weighted.begin(), weighted.end());
    double all = 0;
    for (const auto& [_, weight] : weighted)
    {
        all += weight;
    }
    double sum = 0;
    for (const auto& [value, weight] : weighted)
    {
        sum += weight;
        if (sum >= share * all)
        {
            return value;
        }
    }
    return 1;
}

std::vector<BandRow> band_rows(const std::vector<SourceAccuracy>& sources)
{
    std::vector<BandRow> rows;
    for (const SourceAccuracy& source : sources)
    {
        for (const AccuracyRow& row : source.rows)
        {
            const double computed = row.seconds * (1 + row.left_out);
            rows.push_back(
                {source.source, run_point(row.scenario, computed), row.seconds / computed, row.seconds});
        }
    }
    return rows;
}

std::vector<BandRow> memory_rows(const std::vector<MeasuredSet>& sets)
{
    std::vector<BandRow> rows;
    for (const MeasuredSet& set : sets)
    {
        for (const MeasuredMemory& row : set.memory)
        {
            const auto report = evaluate(row.scenario);
            const Metric* metric = find_metric(row.metric);
            const double computed = report && metric != nullptr ? metric->value(row.scenario, *report) : 0;
            if (computed > 0)
            {
                rows.push_back({set.name, run_point(row.scenario, 0), row.bytes / computed, 0});
            }
        }
    }
    return rows;
}

std::vector<MeasuredKind> kinds_of(const std::vector<BandRow>& rows)
{
    std::map<std::tuple<std::string_view, std::string_view, std::string_view, bool>, MeasuredKind> kinds;
    for (const BandRow& row : rows)
    {
        const RunPoint& p = row.point;
        const auto [at, fresh] = kinds.try_emplace({row.source, p.software, p.gpu, p.experts});
        MeasuredKind& k = at->second;
        if (fresh)
        {
            k = {std::string(row.source),
                 std::string(p.software),
                 std::string(p.gpu),
                 p.experts,
                 0,
                 p.tokens,
                 p.tokens,
                 p.gpus,
                 p.gpus,
                 row.measured_s};
        }
        k.rows += 1;
        k.least_tokens = std::min(k.least_tokens, p.tokens);
        k.most_tokens = std::max(k.most_tokens, p.tokens);
        k.least_gpus = std::min(k.least_gpus, p.gpus);
        k.most_gpus = std::max(k.most_gpus, p.gpus);
        k.least_s = std::min(k.least_s, row.measured_s);
    }
    return list_of<MeasuredKind>(kinds, [](const auto& kind) { return kind.second; });
}

BandRule rule_of(const std::vector<BandRow>& rows)
{
    BandRule rule;
    if (rows.empty())
    {
        return rule;
    }
    const std::vector<Score> scores = scores_of(rows);
    rule.widening = widening_of(scores);
    const Ends ends = ends_of(scores, rule.widening, tail_of(scores, rule.widening), {});
    rule.low = std::exp(ends.low);
    rule.high = std::exp(ends.high);
    std::int64_t in = 0;
    for (const HeldRows& source : held_by_source(rows))
    {
        in += source.inside;
        rule.sources += 1;
    }
    rule.rows = std::ssize(rows);
    rule.coverage = static_cast<double>(in) / static_cast<double>(rule.rows);
    rule.kinds = kinds_of(rows);
    return rule;
}

namespace
{

template <class NameOf>
std::vector<HeldRows> held_by(const std::vector<BandRow>& rows, const NameOf& name_of)
{
    if (rows.empty())
    {
        return {};
    }
    const std::vector<Score> scores = scores_of(rows);
    const double widening = widening_of(scores);
    const double tail = tail_of(scores, widening);
    std::vector<HeldRows> all;
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        const std::string name = name_of(rows[i]);
        auto found = std::ranges::find(all, name, &HeldRows::name);
        found = found == all.end() ? all.insert(all.end(), HeldRows{name, 0, 0, 0}) : found;
        const Ends ends = ends_of(scores, widening, tail, scores[i].source);
        found->rows += 1;
        found->inside += inside(ends, widening, scores[i]) ? 1 : 0;
        found->width += std::exp((ends.high - ends.low) * (1 + widening * scores[i].distance));
    }
    for (HeldRows& one : all)
    {
        one.width /= static_cast<double>(one.rows);
    }
    return all;
}

} // namespace

std::vector<HeldRows> held_by_source(const std::vector<BandRow>& rows)
{
    return held_by(rows, [](const BandRow& row) { return std::string(row.source); });
}

std::vector<HeldRows> held_by_claim(const std::vector<BandRow>& rows)
{
    const auto elsewhere = [&](const BandRow& row, bool software, bool gpu)
    {
        return std::ranges::any_of(rows,
                                   [&](const BandRow& other)
                                   {
                                       return other.source != row.source &&
                                              (!software || other.point.software == row.point.software) &&
                                              (!gpu || other.point.gpu == row.point.gpu);
                                   });
    };
    return held_by(rows,
                   [&](const BandRow& row) -> std::string
                   {
                       const bool software = elsewhere(row, true, false);
                       const bool gpu = elsewhere(row, false, true);
                       return elsewhere(row, true, true) ? "this software on this accelerator"
                              : software && gpu          ? "software and accelerator, not together"
                              : software                 ? "the software, not the accelerator"
                              : gpu                      ? "the accelerator, not the software"
                                                         : "neither";
                   });
}

BandTable band_table(const std::vector<SourceAccuracy>& sources, const std::vector<MeasuredSet>& sets,
                     const std::vector<MeasuredSet>& peaks, const Presets& presets)
{
    BandTable table;
    table.step = rule_of(band_rows(sources));
    table.memory = rule_of(memory_rows(peaks));
    const NextRun next = next_run(sets, presets);
    table.next_low = next.low;
    table.next_high = next.high;
    for (const SourceAccuracy& source : sources)
    {
        table.left_out[source.source] =
            list_of<double>(source.rows, [](const AccuracyRow& row) { return row.left_out; });
    }
    return table;
}

} // namespace ringside
