#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/term.h"
#include "core/base/text.h"
#include "ui/views/memory/recompute/pictures.h"

#include <algorithm>

namespace ringside
{

std::int64_t RecomputeDesk::segments(const RecomputeState& state) const
{
    return state.wished == 0
               ? choices.best
               : std::clamp<std::int64_t>(state.wished, 1, std::max<std::int64_t>(1, choices.layers));
}

std::string segment_words(const RecomputeChoices& c, std::int64_t segments)
{
    const std::int64_t most = (c.layers + segments - 1) / segments;
    const bool even = c.layers % segments == 0;
    return fmt::format("{} of {}{}", counted(segments, "segment"), even ? "" : "at most ",
                       counted(most, "layer"));
}

namespace
{

Caption of_none(const RecomputeChoices& c, ByteUnit unit)
{
    const RecomputePoint& none = c.settings[0];
    const RecomputePoint& full = c.settings[2];
    Caption caption;
    caption.sentence = fmt::format(
        "Nothing is recomputed: **{}** stored. Full recomputation would store {} for **{} more FLOPs**.",
        format_bytes(none.kept, unit), format_bytes(full.total(), unit), format_percent(full.extra));
    return caption;
}

Caption of_setting(const RecomputeChoices& c, Recompute setting, ByteUnit unit)
{
    const RecomputePoint& none = c.settings[0];
    const RecomputePoint& point = c.settings[static_cast<std::size_t>(setting)];
    Caption caption;
    if (setting == Recompute::selective && point.kept == none.kept)
    {
        caption.sentence = fmt::format(
            "Selective recomputation saves **nothing**, for {} more FLOPs: FlashAttention stores no "
            "scores anyway.",
            format_percent(point.extra));
        return caption;
    }
    caption.sentence =
        fmt::format("{} recomputation leaves **{}** of {}, {} less, for **{} more FLOPs**.",
                    setting == Recompute::selective ? "Selective" : "Full", format_bytes(point.total(), unit),
                    format_bytes(none.total(), unit), format_percent(1 - point.total() / none.total()),
                    format_percent(point.extra));
    return caption;
}

} // namespace

Caption recompute_caption(const Frame& frame, const RecomputeDesk& desk, const RecomputeState& state)
{
    const RecomputeChoices& c = desk.choices;
    const ByteUnit unit = frame.preferences.unit;
    const Recompute setting = frame.now.scenario.training.recompute;
    Caption caption = setting == Recompute::none ? of_none(c, unit) : of_setting(c, setting, unit);
    const std::int64_t k = desk.segments(state);
    const std::int64_t longest = (c.layers + k - 1) / k;
    caption.formula =
        fmt::format("{}: n k I + (L/k) A \u2212 I = {} \u00d7 {} \u00d7 {} + {} \u00d7 {} \u2212 {}",
                    counted(k, "segment"), figure(static_cast<double>(c.in_flight)),
                    figure(static_cast<double>(k)), figure(c.input.value),
                    figure(static_cast<double>(longest)), figure(c.layer.value), figure(c.input.value));
    caption.source = "Chen et al. 2016, arXiv 1604.06174, section 4.3, for layers that store A and have an "
                     "input of I; what the head stores comes on top. None, selective and full: Korthikanti "
                     "et al. 2022, arXiv 2205.05198, Table 2; full counts 8 N D FLOPs instead of 6 N D.";
    return caption;
}

} // namespace ringside
