#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/reliability/checkpoint/pictures.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Of the parts that have as many bytes as there are parameters.
std::string bytes_of(const Painter& p, const CheckpointSize& size, CheckpointPart part)
{
    const Bytes bytes = part == CheckpointPart::weights    ? size.weights
                        : part == CheckpointPart::master   ? size.master
                        : part == CheckpointPart::momentum ? size.momentum
                        : part == CheckpointPart::variance ? size.variance
                                                           : Bytes{};
    return part > CheckpointPart::variance ? "bytes"
           : bytes > Bytes{}               ? format_bytes(bytes, p.look.unit)
                                           : "\u2013";
}

std::string explain_missing(const Held& held, const ResumeRun& resumed)
{
    const auto missing = static_cast<std::size_t>(std::count(held.begin(), held.end(), false));
    if (missing == 0)
    {
        return "Nothing is missing: the same losses as without the interruption, bit for bit.";
    }
    if (missing > 1)
    {
        return "Several parts are missing; tick them one at a time to see the effect of each.";
    }
    const auto at = static_cast<std::size_t>(std::find(held.begin(), held.end(), false) - held.begin());
    std::string words(says_of(static_cast<CheckpointPart>(at)));
    return resumed.skipped > 0 ? fmt::format("{} Skipped here: {}.", words, resumed.skipped) : words;
}

} // namespace

std::string missing_words(const Held& held)
{
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < held.size(); ++i)
    {
        if (!held.at(i))
        {
            names.push_back(name_of(static_cast<CheckpointPart>(i)));
        }
    }
    std::string words;
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        words += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
        words += names[i];
    }
    return words;
}

std::optional<CheckpointPart> draw_checklist(const Painter& p, Rect area, const CheckpointSize& size,
                                             const Held& held)
{
    using Part = CheckpointPart;
    const auto holds = [&held](Part part) { return held.at(static_cast<std::size_t>(part)); };
    const auto ink = [&](Part part) { return holds(part) ? p.theme.text : p.theme.muted; };
    const auto tick = [&](const Painter& at, Rect r, Part part, bool lit)
    {
        const float side = std::min(at.px(14), r.h - 4);
        const Rect box{r.x, r.middle() - side / 2, side, side};
        at.outline(box, lit ? at.theme.text : at.theme.muted, 1, at.px(2));
        if (holds(part))
        {
            at.tick_in(box, at.theme.text);
        }
        if (r.h > at.px(25)) // else the keys would overlap
        {
            at.keycap(box.right() + at.px(10), r.middle(), std::to_string(static_cast<int>(part) + 1));
        }
    };
    const Table<Part> table(
        {Column<Part>("Checkpoint contents", [ink](Part part) { return Cell(name_of(part), ink(part)); })
             .with(60, tick),
         {"",
          [&](Part part) { return Cell(holds(part) ? bytes_of(p, size, part) : "left out", ink(part)); }}},
        [](Part part) { return fmt::format("###holds {}", name_of(part)); }, nullptr, 28,
        [](Part part) { return fmt::format("Without it: {}", says_of(part)); });
    constexpr auto parts = rows_of<Part, kCheckpointParts>();
    const TableEvent event = table.draw(p, area, parts);
    return event.pressed ? std::optional(parts.at(*event.pressed)) : std::nullopt;
}

void draw_resume(const Painter& p, Rect area, const ResumeRun& whole, const ResumeRun& resumed,
                 const Held& held)
{
    constexpr std::size_t kFrom = 180;
    const std::string missing = missing_words(held);
    const float high = p.height(Type::small) * 2.4F;
    if (area.h > high + p.px(120))
    {
        const Rect words = area.cut_bottom(high);
        p.list.PushClipRect({words.x, words.y}, {words.right(), words.bottom()}, true);
        p.paragraph(words, Type::small, p.theme.muted, explain_missing(held, resumed));
        p.list.PopClipRect();
    }
    double most = 0.1;
    std::vector<PlotPoint> smooth;
    std::vector<PlotPoint> after;
    for (std::size_t i = kFrom; i < static_cast<std::size_t>(kResumeSteps); ++i)
    {
        const auto step = static_cast<double>(i);
        most = std::max({most, whole.smooth[i], resumed.smooth[i]});
        smooth.push_back({step, whole.smooth[i]});
        if (i >= static_cast<std::size_t>(kResumeAt))
        {
            after.push_back({step, resumed.smooth[i]});
        }
    }
    const std::string title = missing.empty() ? "Loss of a small run resumed from it"
                                              : fmt::format("Loss after resuming without {}", missing);
    Plot plot(p, area,
              {kFrom, static_cast<double>(kResumeSteps - 1), PlotScale::linear, "step", plain_number},
              {0, most * 1.1, PlotScale::linear, "", [](double v) { return fmt::format("{:.2f}", v); }},
              {.title = title});
    if (!plot)
    {
        return;
    }
    plot.rule_x(static_cast<double>(kResumeAt), {p.theme.text, 1, true}, "resume");
    plot.line(after, {line_colour(p.theme.forward), 2.5F}, missing.empty() ? "" : "resumed");
    plot.line(smooth, {p.theme.text, 1.5F}, missing.empty() ? "" : "never interrupted");
}

} // namespace ringside
