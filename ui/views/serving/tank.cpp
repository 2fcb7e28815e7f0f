#include "ui/views/serving/tank.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

// From the bottom up.
struct Fill
{
    std::string_view name;
    Bytes bytes;
    Ink ink;
    bool hatched = false; // nothing in it
    std::string tip;
};

std::string say(const Term& term, ByteUnit unit)
{
    return fmt::format("{}: {}\n\n{}\n= {}\n\n{}", term.label, format_bytes(Bytes(term.value), unit),
                       term.formula, term.working, term.source);
}

class Tank
{
public:
    Tank(const Frame& frame, const Painter& painter, Rect area, const ServingReport& report)
        : frame_(frame), p_(painter), r_(report), head_(area.cut_top(painter.px(26))),
          foot_(area.cut_bottom(painter.px(24))), tank_(area)
    {
        most_ = std::max({1.0, r_.device.value, r_.held().value});
    }

    void draw(ServingLevels& levels, Out& out)
    {
        draw_head();
        p_.fill(tank_, p_.theme.panel);
        const std::vector<Fill> fills = parts();
        float below = 0;
        for (std::size_t i = 0; i < fills.size(); ++i)
        {
            const float share = levels.parts[i].towards(static_cast<float>(fills[i].bytes.value / most_),
                                                        frame_, p_.look, out);
            draw_fill(fills[i], below, share);
            below += share;
        }
        draw_walls();
        p_.part("tank", tank_);
    }

private:
    float y(double bytes) const { return tank_.bottom() - tank_.h * static_cast<float>(bytes / most_); }
    std::string amount(Bytes b) const { return format_gigabytes(b, p_.look.unit); }

    std::vector<Fill> parts() const
    {
        const Theme& t = p_.theme;
        const auto b = static_cast<double>(r_.setup.batch);
        const Bytes filled = b * r_.filled;
        const Scenario& s = frame_.now.scenario;
        const std::string weights = fmt::format(
            "Weights of one of {} GPUs: {} at {} bit\n\n{} of the model's, cut over the group; what "
            "has no head or width to cut is on all.",
            r_.setup.gpus, format_bytes(r_.weights, p_.look.unit), r_.setup.weight_bits,
            format_bytes(r_.model_weights, p_.look.unit));
        return {
            {"weights", r_.weights, t.of(Component::weights), false, weights},
            {"cache", filled, t.of(Component::activations), false, say(explain_cache(s, r_), p_.look.unit)},
            {"reserved, empty", b * r_.sequence - filled, t.of(Component::activations), true,
             fmt::format("Held with no token in: {} of every request's room", format_percent(r_.wasted()))}};
    }

    void draw_head() const
    {
        const std::string words =
            fmt::format("{} of {} {}", amount(r_.held()),
                        plain_number(in_gigabytes(r_.capacity, p_.look.unit)), p_.look.gigabyte());
        const float middle = head_.middle() - p_.px(3);
        const std::string name = r_.setup.gpus == 1 ? "One GPU" : fmt::format("1 of {} GPUs", r_.setup.gpus);
        const float w = p_.text_within(head_.x, middle, head_.w, Type::small_strong, p_.theme.text, name);
        if (w + p_.px(10) + p_.width(Type::mono_small, words) <= head_.w)
        {
            p_.text(head_.right(), middle, Type::mono_small, r_.fits() ? p_.theme.muted : p_.theme.warning,
                    words, Align::right);
        }
    }

    void draw_fill(const Fill& fill, float below, float share) const
    {
        const Rect block{tank_.x, tank_.bottom() - (below + share) * tank_.h, tank_.w, share * tank_.h};
        if (block.h < 0.5F)
        {
            return;
        }
        if (fill.hatched)
        {
            p_.fill(block, with_alpha(fill.ink.fill, 0.16F));
            p_.hatch(block, with_alpha(fill.ink.fill, 0.6F), kIdleHatch);
        }
        else
        {
            p_.fill({block.x, block.y, block.w, std::max(1.0F, block.h - 1)}, fill.ink.fill);
            p_.outline(block, fill.ink.edge != 0 ? fill.ink.edge : fill.ink.fill);
        }
        const float line = std::max(block.y, y(r_.capacity.value));
        label({block.x, line, block.w, block.bottom() - line}, fill);
        if (block.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        {
            tooltip_at_mouse(p_, fill.tip);
        }
    }

    void label(Rect block, const Fill& fill) const
    {
        if (block.h < p_.height(Type::small))
        {
            return;
        }
        const std::string number = amount(fill.bytes);
        const float edge = p_.px(8);
        const float figure = p_.width(Type::mono_small, number);
        const float named = p_.width(Type::small, fill.name);
        const bool both = named + figure + 3 * edge <= block.w;
        const float wide = both ? block.w - 2 * edge : figure;
        const Colour ink = fill.hatched ? p_.theme.text : fill.ink.label;
        if (fill.hatched && block.h > p_.height(Type::small) + p_.px(2))
        {
            p_.fill({block.centre() - wide / 2 - p_.px(3), block.middle() - p_.px(10), wide + p_.px(6),
                     p_.px(20)},
                    with_alpha(p_.theme.window, 0.85F), p_.px(3));
        }
        if (both)
        {
            p_.text(block.x + edge, block.middle(), Type::small, ink, fill.name);
            p_.text(block.right() - edge, block.middle(), Type::mono_small, ink, number, Align::right);
        }
        else if (figure + edge <= block.w)
        {
            p_.text(block.centre(), block.middle(), Type::mono_small, ink, number, Align::centre);
        }
    }

    void draw_walls() const
    {
        const Theme& t = p_.theme;
        const float wall = p_.px(2);
        const float line = y(r_.capacity.value);
        const float device = y(r_.device.value);
        if (line > device)
        {
            p_.fill({tank_.x, device, tank_.w, line - device}, with_alpha(t.window, 0.35F));
        }
        if (!r_.fits())
        {
            const Rect over{tank_.x, y(r_.held().value), tank_.w, line - y(r_.held().value)};
            p_.fill(over, with_alpha(mix(t.window, t.warning, 0.3F), 0.72F));
            p_.hatch(over, t.warning, kOverflowHatch);
            p_.outline(over, t.warning, wall);
        }
        p_.line(tank_.x, tank_.y, tank_.x, tank_.bottom(), t.line, wall);
        p_.line(tank_.right(), tank_.y, tank_.right(), tank_.bottom(), t.line, wall);
        p_.line(tank_.x, tank_.bottom(), tank_.right(), tank_.bottom(), t.line, wall);
        p_.line(tank_.x - p_.px(4), line, tank_.right() + p_.px(4), line, t.text, wall);
        const std::string room =
            r_.most == 0 ? "not one request fits"
                         : fmt::format("room for {} request{}", grouped(r_.most), r_.most == 1 ? "" : "s");
        p_.text_within(foot_.x, foot_.middle() + p_.px(3), foot_.w, Type::small,
                       r_.fits() ? t.muted : t.warning, room);
    }

    const Frame& frame_;
    const Painter& p_;
    const ServingReport& r_;
    Rect head_;
    Rect foot_;
    Rect tank_;
    double most_ = 1;
};

} // namespace

void draw_serving_tank(const Frame& frame, const Painter& painter, Rect area, const ServingReport& report,
                       ServingLevels& levels, Out& out)
{
    Tank(frame, painter, area, report).draw(levels, out);
}

} // namespace ringside
