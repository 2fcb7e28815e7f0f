#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "ui/views/serving/serving/pictures.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/stacked_bar.h"

#include <algorithm>

namespace ringside
{

namespace
{

std::string say(const Term& term, ByteUnit unit)
{
    return fmt::format("{}: {}\n\n{}\n= {}\n\n{}", term.label, format_bytes(Bytes(term.value), unit),
                       term.formula, term.working, term.source);
}

Fill reserved_fill(const Theme& t)
{
    const Colour cache = t.of(Component::activations).fill;
    return {.ink = {with_alpha(cache, 0.16F)}, .lines = with_alpha(cache, 0.6F)};
}

std::string tip_of(const Painter& p, const Scenario& scenario, const ServingReport& r, std::size_t part)
{
    return part == 1   ? say(explain_cache(scenario, r), p.look.unit)
           : part == 2 ? fmt::format("Reserved but unused: {} of every request's allocation",
                                     format_percent(r.wasted()))
                       : fmt::format("Weights on one of {} GPUs: {} at {} bits\n\n{} for the model, sharded "
                                     "over the TP group; "
                                     "what cannot be sharded is on every GPU.",
                                     r.setup.gpus, format_bytes(r.weights, p.look.unit), r.setup.weight_bits,
                                     format_bytes(r.model_weights, p.look.unit));
}

void draw_head(const Painter& p, Rect head, const ServingReport& r)
{
    const std::string words =
        fmt::format("{} of {} {}", format_gigabytes(r.held(), p.look.unit),
                    plain_number(in_gigabytes(r.capacity, p.look.unit)), p.look.gigabyte());
    const float middle = head.middle() - p.px(3);
    const std::string name = r.setup.gpus == 1 ? "One GPU" : fmt::format("1 of {} GPUs", r.setup.gpus);
    const float w = p.text_within(head.x, middle, head.w, Type::small_strong, p.theme.text, name);
    if (w + p.px(10) + p.width(Type::mono_small, words) <= head.w)
    {
        p.text(head.right(), middle, Type::mono_small, r.fits() ? p.theme.muted : p.theme.warning, words,
               Align::right);
    }
}

} // namespace

void draw_serving_tank(const Frame& frame, const Painter& p, Rect area, const ServingReport& r,
                       ServingLevels& levels, Out& out)
{
    const Theme& t = p.theme;
    draw_head(p, area.cut_top(p.px(26)), r);
    const Rect foot = area.cut_bottom(p.px(24));
    const double most = std::max({1.0, r.device.value, r.held().value});
    const auto batch = static_cast<double>(r.setup.batch);
    const Bytes filled = batch * r.filled;
    const auto part = [&](std::size_t i, std::string_view name, Bytes bytes, const Fill& fill)
    {
        const float share =
            levels.parts[i].towards(static_cast<float>(bytes.value / most), frame, p.look, out);
        return BarPart{static_cast<double>(share) * most, fill, name, format_gigabytes(bytes, p.look.unit)};
    };
    const std::array parts{part(0, "weights", r.weights, {t.of(Component::weights)}),
                           part(1, "KV cache", filled, {t.of(Component::activations)}),
                           part(2, "reserved, unused", batch * r.sequence - filled, reserved_fill(t))};
    const StackedBar bar = draw_stacked_bar(p, area, parts, {most, true, r.capacity.value, true});
    if (r.device > r.capacity && r.fits())
    {
        // What the runtime keeps for itself.
        const float free = area.h * static_cast<float>((r.device - r.capacity).value / most);
        p.fill({area.x, area.y, area.w, free}, with_alpha(t.window, 0.35F));
    }
    if (bar.hovered)
    {
        tooltip_at_mouse(p, tip_of(p, frame.now.scenario, r, *bar.hovered));
    }
    p.part("tank", area);
    const std::string room = r.most == 0 ? "no request fits" : "room for " + counted(r.most, "request");
    p.text_within(foot.x, foot.middle() + p.px(3), foot.w, Type::small, r.fits() ? t.muted : t.warning, room);
}

} // namespace ringside
