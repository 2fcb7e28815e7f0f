#include "core/scenario/evidence.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/scenario.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kShortStep = 0.2; // [s] below it a step's fixed costs show

// What differs counts so much in a distance.
constexpr double kOtherSoftware = 1;
constexpr double kOtherRelease = 0.5;
constexpr double kOtherAccelerator = 1;
constexpr double kOtherExperts = 1;
constexpr double kPerOctave = 0.25; // of length, and of GPUs
constexpr double kPerHalving = 1;   // of a short step

double octaves_outside(double value, double least, double most)
{
    return value <= 0 || least <= 0 || most <= 0
               ? 0
               : std::max({0.0, std::log2(value / most), std::log2(least / value)});
}

double halvings_below(double seconds, double least_s)
{
    return seconds <= 0 || least_s <= 0 ? 0
                                        : std::max(0.0, std::log2(std::min(kShortStep, least_s) / seconds));
}

const BandTable& evidence_of(const Scenario& s)
{
    static const BandTable none;
    return s.software.evidence.table != nullptr ? *s.software.evidence.table : none;
}

} // namespace

std::string_view accelerator_kind(std::string_view id)
{
    const std::string_view start = id.substr(0, id.find('-'));
    const bool says_which = start.find_first_of("0123456789") != std::string_view::npos;
    return says_which ? start : id;
}

std::string_view software_kind(std::string_view id)
{
    const std::size_t year = id.rfind("-20");
    return year != std::string_view::npos && year + 5 == id.size() ? id.substr(0, year) : id;
}

RunPoint run_point(const Scenario& s, double seconds)
{
    return {s.software.id,
            accelerator_kind(s.cluster.gpu.id),
            s.model.experts > 0,
            static_cast<double>(s.training.sequence_length),
            static_cast<double>(s.cluster.gpus),
            seconds};
}

double distance(const RunPoint& p, const MeasuredKind& k)
{
    const double software = p.software == k.software                                 ? 0
                            : software_kind(p.software) == software_kind(k.software) ? kOtherRelease
                                                                                     : kOtherSoftware;
    return software + (p.gpu == k.gpu ? 0 : kOtherAccelerator) +
           (p.experts == k.experts ? 0 : kOtherExperts) +
           kPerOctave * (octaves_outside(p.tokens, k.least_tokens, k.most_tokens) +
                         octaves_outside(p.gpus, k.least_gpus, k.most_gpus)) +
           kPerHalving * halvings_below(p.seconds, k.least_s);
}

Band band_at(const BandRule& rule, const RunPoint& point, std::string_view but)
{
    constexpr double kUnknown = 4; // further than anything measured
    Band band{1, 1, kUnknown, nullptr};
    for (const MeasuredKind& kind : rule.kinds)
    {
        const double away = kind.source == but ? kUnknown : distance(point, kind);
        if (away < band.distance)
        {
            band.distance = away;
            band.nearest = &kind;
        }
    }
    const double wider = 1 + rule.widening * band.distance;
    double low = wider * std::log(rule.low);
    double high = wider * std::log(rule.high);
    if (band.nearest != nullptr && band.nearest->own())
    {
        const double away = std::min(1.0, band.distance);
        low = away * low + (1 - away) * std::log(band.nearest->low);
        high = away * high + (1 - away) * std::log(band.nearest->high);
    }
    band.low = std::exp(low);
    band.high = std::exp(high);
    return band;
}

Band step_band(const Scenario& scenario, double seconds)
{
    return band_at(evidence_of(scenario).step, run_point(scenario, seconds));
}

Band memory_band(const Scenario& scenario)
{
    return band_at(evidence_of(scenario).memory, run_point(scenario, 0));
}

namespace
{

std::string rows_words(const BandRule& rule, const RunPoint& p)
{
    std::int64_t both = 0;
    bool software = false;
    bool gpu = false;
    for (const MeasuredKind& kind : rule.kinds)
    {
        const bool same_software = kind.software == p.software;
        const bool same_gpu = kind.gpu == p.gpu;
        both += same_software && same_gpu ? kind.rows : 0;
        software = software || same_software;
        gpu = gpu || same_gpu;
    }
    return both > 0          ? counted(both, "measured row") + " of this software on this accelerator"
           : software || gpu ? fmt::format("no measured row of this software on this accelerator{}",
                                           software ? gpu ? "" : ", nor any of the accelerator"
                                                    : ", nor any of the software")
                             : std::string("no measured row of this software, nor of this accelerator");
}

// "8,192", or "2,048 to 8,192".
std::string span_words(double least, double most)
{
    const std::string from = grouped(std::llround(least));
    return least == most ? from : fmt::format("{} to {}", from, grouped(std::llround(most)));
}

// In what the scenario lies outside the nearest rows, beside software and accelerator.
std::string outside_words(const RunPoint& p, const MeasuredKind& k)
{
    std::string said;
    said += p.experts != k.experts ? (p.experts ? ", none with experts" : ", all with experts") : "";
    if (octaves_outside(p.tokens, k.least_tokens, k.most_tokens) > 0)
    {
        said += fmt::format(", sequences of {} tokens", span_words(k.least_tokens, k.most_tokens));
    }
    if (octaves_outside(p.gpus, k.least_gpus, k.most_gpus) > 0)
    {
        said += fmt::format(", {} GPUs", span_words(k.least_gpus, k.most_gpus));
    }
    said += halvings_below(p.seconds, k.least_s) > 0
                ? fmt::format(", steps of at least {}", format_seconds(Seconds(k.least_s)))
                : "";
    return said;
}

std::string evidence_words(const BandRule& rule, const RunPoint& p)
{
    const Band band = band_at(rule, p);
    if (band.nearest == nullptr)
    {
        return "no measured rows at hand; the band is a guess";
    }
    const std::string outside = outside_words(p, *band.nearest);
    const std::string missed = fmt::format("missed by up to \u00d7{:.2f}", band.missed_by());
    return band.nearest->own() && band.distance < 1
               ? fmt::format("{} of your own{}; the next is {}", counted(band.nearest->rows, "measured row"),
                             outside, missed)
               : fmt::format("{} (nearest: {}{}); new sources were {}", rows_words(rule, p),
                             band.nearest->source, outside, missed);
}

} // namespace

std::string step_evidence_words(const Scenario& s, double seconds)
{
    return evidence_words(evidence_of(s).step, run_point(s, seconds));
}

std::string memory_evidence_words(const Scenario& s)
{
    return evidence_words(evidence_of(s).memory, run_point(s, 0));
}

std::shared_ptr<const BandTable> with_own(const std::shared_ptr<const BandTable>& evidence,
                                          const std::vector<MeasuredKind>& own)
{
    auto more = std::make_shared<BandTable>(evidence != nullptr ? *evidence : BandTable());
    more->step.kinds.insert(more->step.kinds.end(), own.begin(), own.end());
    return more;
}

} // namespace ringside
