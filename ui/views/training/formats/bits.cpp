// One number in every format: its bits, each of which can be turned over, the numbers next to it, and its
// place in range against precision.
#include "ui/widgets/pictures/bits.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/training/formats/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// Sign and exponent left of one line all formats share, the mantissa right of it.
struct Ruler
{
    float x = 0; // of that line
    float cell = 0;
    float name = 0;
    float value = 0; // where values begin; 0: no room for them

    Rect box(const NumberFormat& f, int bit, Rect row) const
    {
        const float at = x + cell * static_cast<float>(f.mantissa_bits - 1 - bit);
        const float gap = cell > 8 ? 1.0F : 0.0F;
        return {at, row.y + gap, cell - gap, row.h - 2 * gap};
    }
};

constexpr int kMostLeft = 9; // a sign and eight of exponent
constexpr int kMostRight = 23;

Ruler ruler_of(const Painter& p, Rect area)
{
    Ruler r;
    r.name = p.px(64);
    const float values = p.px(212);
    float room = area.w - r.name - values;
    const bool roomy = room > p.px(200);
    room = roomy ? room : area.w - r.name;
    r.cell = std::floor(std::min(p.px(20), room / static_cast<float>(kMostLeft + kMostRight)));
    r.x = area.x + r.name + r.cell * kMostLeft;
    r.value = roomy ? r.x + r.cell * kMostRight + p.px(16) : 0;
    return r;
}

std::string bit_tip(const NumberFormat& f, int bit)
{
    switch (field_of_bit(f, bit))
    {
    case BitField::sign:
        return "Sign: 1 is minus.\n\nClick to flip it.";
    case BitField::exponent:
        return fmt::format("Exponent bit {}, worth {} in the field; the exponent is the field less {}.\n\n"
                           "Click to flip it.",
                           bit - f.mantissa_bits, 1 << (bit - f.mantissa_bits), f.bias());
    case BitField::mantissa:
        break;
    }
    return fmt::format("Mantissa bit, worth {} of the leading one.\n\nClick to flip it.",
                       two_to_the(bit - f.mantissa_bits));
}

// The bit that was pressed, or -1.
int draw_cells(const Painter& p, const Ruler& ruler, const NumberFormat& f, std::uint32_t code, Rect row)
{
    int pressed = -1;
    for (int bit = f.bits() - 1; bit >= 0; --bit)
    {
        const Rect box = ruler.box(f, bit, row);
        const bool set = (code >> static_cast<unsigned>(bit) & 1U) != 0;
        const std::string id = fmt::format("###{} bit {}", f.name, bit);
        const Press hit = press(p, box, id.c_str(), 2);
        tooltip(p, bit_tip(f, bit));
        draw_bit(p, box, f, {bit, set}, hit.hovered);
        if (box.w >= p.width(Type::mono_small, "0") + p.px(3))
        {
            p.text(box.centre(), box.middle(), Type::mono_small, ink_of_bit(p.theme, f, {bit, set}),
                   set ? "1" : "0", Align::centre);
        }
        pressed = hit.clicked ? bit : pressed;
    }
    return pressed;
}

std::string off_by(double value, double held)
{
    if (!std::isfinite(value) || !std::isfinite(held))
    {
        return std::isfinite(value) ? "overflow" : "";
    }
    if (value == held)
    {
        return "exact";
    }
    if (held == 0)
    {
        return "underflow";
    }
    const double off = (held - value) / value;
    const std::string share = format_percent(std::fabs(off));
    return share.starts_with('<') ? share : (off < 0 ? "\u2212" : "+") + share;
}

std::string format_tip(const NumberFormat& f)
{
    return fmt::format("{}: 1 sign, {} exponent, {} mantissa bits\n\nlargest {}\nsmallest normal {}\n"
                       "smallest subnormal {}\nmachine epsilon {}\n{} exponents: bias {}\n\n{}",
                       f.name, f.exponent_bits, f.mantissa_bits, exact_power(largest(f)),
                       exact_power(smallest_normal(f)), exact_power(smallest_subnormal(f)),
                       exact_power(epsilon(f)), 1 << f.exponent_bits, f.bias(), f.source);
}

void draw_value(const Painter& p, const Ruler& ruler, Rect row, double value, double held, bool strong)
{
    if (ruler.value == 0)
    {
        return;
    }
    const std::string off = off_by(value, held);
    const bool wrong = off == "underflow" || off == "overflow";
    p.text_within(ruler.value, row.middle(), p.px(112), Type::mono_small,
                  strong ? p.theme.text : p.theme.muted, short_figure(held));
    const float x = ruler.value + p.px(116);
    if (wrong)
    {
        p.triangle(x, row.middle(), p.theme.warning);
    }
    p.text_within(x + p.px(wrong ? 22 : 0), row.middle(), row.right() - x - p.px(wrong ? 22 : 0), Type::small,
                  p.theme.muted, off);
}

void draw_heads(const Painter& p, const Ruler& ruler, Rect row)
{
    const Colour ink = p.theme.muted;
    const float left = ruler.cell * kMostLeft;
    const float right = ruler.cell * kMostRight;
    if (p.width(Type::small, "sign, exponent") > left || p.width(Type::small, "mantissa") > right)
    {
        return;
    }
    p.text(ruler.x - p.px(6), row.middle(), Type::small, ink, "sign, exponent", Align::right);
    p.text(ruler.x + p.px(4), row.middle(), Type::small, ink, "mantissa");
    if (ruler.value > 0)
    {
        p.text(ruler.value, row.middle(), Type::small, ink, "stored as");
        p.text(ruler.value + p.px(116), row.middle(), Type::small, ink, "rel. error");
    }
}

// All, or those round the one on show.
std::span<const NumberFormat> rows_that_fit(float room, FormatId shown)
{
    const auto count = std::min(kFormats, static_cast<std::size_t>(std::max(0.0F, room)));
    const auto at = static_cast<std::size_t>(shown);
    return number_formats().subspan(std::min(at - std::min(at, count / 2), kFormats - count), count);
}

// 8-bit formats saturate where asked, as casts in training do.
Overflow overflow_of(const FormatsState& state, const NumberFormat& format)
{
    return state.saturate && format.bits() <= 8 ? Overflow::saturate : Overflow::special;
}

void draw_format_bits(const Painter& p, Rect area, FormatsState& state, FormatId shown)
{
    const Ruler ruler = ruler_of(p, area);
    p.part("bits", area);
    const float least = p.height(Type::body) + p.px(2);
    if (area.h > least * (kFormats + 1))
    {
        draw_heads(p, ruler, area.cut_top(p.px(20)));
    }
    const auto rows = rows_that_fit(area.h / least, shown);
    if (rows.empty())
    {
        return;
    }
    const float pitch = area.h / static_cast<float>(rows.size());
    for (const NumberFormat& f : rows)
    {
        const Rect slot = area.cut_top(pitch);
        const float high = std::min(pitch - p.px(4), p.px(30));
        const Rect row{slot.x, slot.middle() - high / 2, slot.w, high};
        const bool strong = f.id == shown;
        const std::string id = fmt::format("###format {}", f.name);
        const Press hit = press(p, {row.x, row.y, ruler.name - p.px(4), row.h}, id.c_str());
        tooltip(p, format_tip(f));
        state.chosen = hit.clicked ? f.id : state.chosen;
        p.text(row.x, row.middle(), strong ? Type::body_strong : Type::body,
               strong || hit.hovered ? p.theme.text : p.theme.muted, f.name);
        const Overflow overflow = overflow_of(state, f);
        const std::uint32_t code = encode(f, state.value, overflow);
        if (const int bit = draw_cells(p, ruler, f, code, row); bit >= 0)
        {
            state.value = decode(f, code ^ (1U << static_cast<unsigned>(bit)));
            state.middle = std::isfinite(state.value) ? state.value : state.middle;
            state.chosen = f.id;
        }
        draw_value(p, ruler, row, state.value, round_to(f, state.value, overflow), strong);
    }
}

void draw_bits(const FormatsRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    const FormatId shown = shown_format(r.state, r.frame);
    const float all = p.px(20) + p.px(36) * static_cast<float>(kFormats);
    const float rows = area.h < p.px(220) ? area.h : std::min(all, area.h * 0.52F);
    const float line = area.h - rows > p.px(230) ? p.px(96) : 0;
    draw_format_bits(p, area.cut_bottom(rows), r.state, shown);
    area.cut_bottom(std::min(area.h, p.px(10)));
    if (line > 0)
    {
        draw_format_line(p, area.cut_bottom(line), r.state, shown);
        area.cut_bottom(p.px(6));
    }
    if (area.h > p.px(130))
    {
        draw_format_range(p, area, r.state, shown);
    }
}

void panel_bits(PanelColumn& column, const FormatsRoom& r)
{
    choose_format(column, r);
    const NumberFormat& f = number_format(shown_format(r.state, r.frame));
    column.toggle(
        "Saturating casts", r.state.saturate,
        "Above the largest number: that number, as casts in training do; otherwise infinity, or NaN "
        "in E4M3 (O)");
    column.fact("Largest", exact_power(largest(f)));
    column.fact("Smallest normal", exact_power(smallest_normal(f)));
    column.fact("Smallest subnormal", exact_power(smallest_subnormal(f)));
    column.fact("Machine epsilon", exact_power(epsilon(f)));
    if (std::isfinite(r.state.value))
    {
        column.fact("Spacing at x", exact_power(step_at(f, r.state.value)));
    }
    column.gap();
    column.note(fmt::format("**{}** bits: 1 sign, {} exponent, {} mantissa. Click any bit to flip it.",
                            f.bits(), f.exponent_bits, f.mantissa_bits));
}

std::string fields(const NumberFormat& f, double value, Overflow overflow)
{
    const std::uint32_t code = encode(f, value, overflow);
    const auto m = static_cast<unsigned>(f.mantissa_bits);
    const std::uint32_t field = (code >> m) & ((1U << static_cast<unsigned>(f.exponent_bits)) - 1U);
    const std::uint32_t mantissa = code & ((1U << m) - 1U);
    const bool minus = (code >> static_cast<unsigned>(f.bits() - 1) & 1U) != 0;
    const double held = decode(f, code);
    if (!std::isfinite(held))
    {
        return fmt::format("exponent {} of {} and mantissa {}: {}", field, field, mantissa,
                           short_figure(held));
    }
    const int exponent = std::max(1, static_cast<int>(field)) - f.bias();
    return fmt::format("{}{} + {}/{}{} \u00d7 {} = {}", minus ? "\u2212(" : "(", field == 0 ? 0 : 1, mantissa,
                       1U << m, ")", two_to_the(exponent), short_figure(held));
}

Caption caption_bits(const Frame& frame, FormatsState& state)
{
    const NumberFormat& f = number_format(shown_format(state, frame));
    const Overflow overflow = overflow_of(state, f);
    const double held = round_to(f, state.value, overflow);
    Caption c;
    c.formula = fields(f, state.value, overflow);
    c.source = std::string(f.source) + "\nTo nearest, ties to even.";
    if (!std::isfinite(held))
    {
        c.sentence = std::isfinite(state.value)
                         ? fmt::format("!!{} overflows!! {}, whose largest number is {}.",
                                       short_figure(state.value), f.name, exact_power(largest(f)))
                         : fmt::format("These bits of {} encode **{}**.", f.name, short_figure(held));
        return c;
    }
    const double off = state.value == 0 ? 0 : std::fabs(held / state.value - 1);
    const std::string x = short_figure(state.value);
    const std::string verdict = held == state.value ? fmt::format("holds {} **exactly**", x)
                                : held == 0         ? fmt::format("!!underflows!!: {} is too close to 0", x)
                                : std::fabs(held) >= largest(f) && off > 0.1
                                    ? fmt::format("saturates {} at **{}**", x, short_figure(held))
                                    : fmt::format("stores {} as **{}**, relative error {}", x,
                                                  short_figure(held), format_percent(off));
    c.sentence =
        fmt::format("{} {}; the spacing there is {}.", f.name, verdict, exact_power(step_at(f, held)));
    return c;
}

} // namespace

const Page<FormatsState> bits_page{"Bits", draw_bits, panel_bits, caption_bits};

} // namespace ringside
