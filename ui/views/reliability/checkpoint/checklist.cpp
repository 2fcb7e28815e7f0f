#include "ui/views/reliability/checkpoint/checklist.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>

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

class Chart
{
public:
    Chart(const Painter& painter, Rect area, const ResumeRun& whole, const ResumeRun& resumed)
        : p_(painter), area_(area), whole_(whole), resumed_(resumed)
    {
        area_.cut_left(p_.width(Type::mono_small, "0.00") + p_.px(10));
        area_.cut_right(p_.px(6));
        area_.cut_bottom(p_.height(Type::mono_small) + p_.px(6));
        for (std::size_t i = kFrom; i < kTo; ++i)
        {
            most_ = std::max({most_, whole.smooth[i], resumed.smooth[i]});
        }
        most_ *= 1.1;
    }

    void draw() const
    {
        if (area_.w < p_.px(80) || area_.h < p_.px(40))
        {
            return;
        }
        const Theme& t = p_.theme;
        for (const double share : {0.0, 0.5, 1.0})
        {
            p_.line(area_.x, y(most_ * share), area_.right(), y(most_ * share), t.grid);
            p_.text(area_.x - p_.px(6), y(most_ * share), Type::mono_small, t.muted,
                    fmt::format("{:.2f}", most_ * share), Align::right);
        }
        const float at = x(static_cast<std::size_t>(kResumeAt));
        p_.dashed(at, area_.y, at, area_.bottom(), t.text, 1);
        const float below = area_.bottom() + p_.height(Type::mono_small) / 2 + p_.px(4);
        p_.text(at, below, Type::small, t.muted, "resume", Align::centre);
        p_.text(area_.right(), below, Type::small, t.muted, "step", Align::right);
        curve(resumed_.smooth, t.forward.fill, 2.5F, static_cast<std::size_t>(kResumeAt));
        curve(whole_.smooth, t.text, 1.5F, kFrom);
    }

private:
    static constexpr std::size_t kFrom = 180;
    static constexpr std::size_t kTo = static_cast<std::size_t>(kResumeSteps);

    float x(std::size_t step) const
    {
        return area_.x + area_.w * static_cast<float>(step - kFrom) / static_cast<float>(kTo - 1 - kFrom);
    }
    float y(double loss) const { return area_.bottom() - area_.h * static_cast<float>(loss / most_); }

    void curve(const std::vector<double>& loss, Colour colour, float thickness, std::size_t from) const
    {
        std::vector<ImVec2> points;
        for (std::size_t i = from; i < kTo; ++i)
        {
            points.emplace_back(x(i), y(loss[i]));
        }
        p_.list.AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0, p_.px(thickness));
    }

    const Painter& p_;
    Rect area_;
    const ResumeRun& whole_;
    const ResumeRun& resumed_;
    double most_ = 0.1;
};

void draw_key(const Painter& p, Rect row)
{
    const Theme& t = p.theme;
    float at = row.x;
    const auto one = [&](Colour colour, std::string_view name)
    {
        p.line(at, row.middle(), at + p.px(14), row.middle(), colour, p.px(3));
        at += p.px(20) +
              p.text_within(at + p.px(20), row.middle(), row.right() - at - p.px(20), Type::small, t.muted,
                            name) +
              p.px(16);
    };
    one(t.forward.fill, "resumed");
    one(t.text, "never interrupted");
}

std::string explain_missing(const Held& held, const ResumeRun& resumed)
{
    const auto missing = static_cast<std::size_t>(std::count(held.begin(), held.end(), false));
    if (missing == 0)
    {
        return "Everything is there: the same losses as if nothing had happened, bit for bit.";
    }
    if (missing > 1)
    {
        return "Several parts are missing; tick them one by one to see whose mark is whose.";
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
        {Column<Part>("What the checkpoint holds",
                      [ink](Part part) { return Cell(name_of(part), ink(part)); })
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
    const Theme& t = p.theme;
    const std::string missing = missing_words(held);
    const Rect head = area.cut_top(p.px(26));
    p.text_within(head.x, head.middle(), head.w, Type::small_strong, t.text,
                  missing.empty() ? "Loss of a small training, resumed from it"
                                  : fmt::format("Loss after a resume without {}", missing));
    if (!missing.empty())
    {
        draw_key(p, area.cut_top(p.px(20)));
    }
    area.cut_top(p.px(8));
    const float high = p.height(Type::small) * 2.4F;
    if (area.h > high + p.px(60))
    {
        Rect words = area.cut_bottom(high);
        p.list.PushClipRect({words.x, words.y}, {words.right(), words.bottom()}, true);
        p.paragraph({words.x, words.y + p.px(2), words.w, words.h}, Type::small, t.muted,
                    explain_missing(held, resumed));
        p.list.PopClipRect();
    }
    Chart(p, area, whole, resumed).draw();
}

} // namespace ringside
