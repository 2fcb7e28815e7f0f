#include "ui/views/activations/rows.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/activations/working.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// Heat: how much of the largest kept tensor's bytes. The root keeps small ones apart from the ground.
Colour heat_of(const Theme& t, const TensorRow& row, double largest)
{
    const auto share = static_cast<float>(std::sqrt(row.bytes / std::max(1.0, largest)));
    return mix(mix(t.window, t.of(Component::activations).fill, 0.22F), t.of(Component::activations).fill,
               share);
}

std::string_view fate_of(const TensorRow& row)
{
    return row.keeping == Keeping::never   ? "never written, with flash attention"
           : row.keeping == Keeping::again ? "let go and computed again"
                                           : "kept for the backward pass";
}

std::string tip_of(const Frame& frame, const TensorRow& row)
{
    const Term term = explain_tensor(frame.now.scenario, row.tensor);
    return fmt::format("{}: {}\n{}\n\n{}\n= {}\n\n{}", row.tensor.name,
                       format_bytes(Bytes(row.bytes), frame.preferences.unit), fate_of(row), term.formula,
                       term.working, term.source);
}

// What is kept is filled in its heat; what is computed again hatched in the same colour, what is never
// written on the bare ground.
void draw_bytes(const Painter& p, Rect r, const TensorRow& row, double largest)
{
    const Theme& t = p.theme;
    if (row.keeping == Keeping::kept)
    {
        p.fill(r, heat_of(t, row, largest), p.px(2));
        const Ink& ink = t.of(Component::activations);
        if (ink.edge != 0 && r.w > 3)
        {
            p.outline(r, ink.edge, 1, p.px(2));
        }
        return;
    }
    if (r.w <= 3)
    {
        return;
    }
    if (row.keeping == Keeping::again)
    {
        const Colour fill = t.of(Component::activations).fill;
        p.fill(r, dim(t, fill, 0.75F), p.px(2));
        p.hatch(r, dim(t, fill, 0.2F), kExposedHatch);
        return;
    }
    p.hatch(r, t.idle_hatch, kIdleHatch);
    p.outline(r, t.line, 1);
}

// Where a bar is cut because what it stands for is longer.
void draw_break(const Painter& p, Rect r)
{
    const float x = r.right() - p.px(12);
    const float slant = p.px(4);
    for (const float shift : {0.0F, p.px(5)})
    {
        p.line(x + shift + slant, r.y - 1, x + shift - slant, r.bottom() + 1, p.theme.window, p.px(3));
    }
}

void react(const Painter& p, const Frame& frame, const Press& pressed, const TensorRow& row,
           ActivationsState& state)
{
    if (pressed.hovered || pressed.focused)
    {
        state.hovered = row.tensor.name;
    }
    if (pressed.clicked)
    {
        state.picked = state.picked == row.tensor.name ? std::string_view() : row.tensor.name;
    }
    if (pressed.hovered)
    {
        tooltip(p, tip_of(frame, row));
    }
}

bool is_lit(const TensorRow& row, const ActivationsState& state)
{
    return row.tensor.name == state.hovered || row.tensor.name == state.picked;
}

// Where the columns of the list begin; those that have no room are left out.
struct Columns
{
    float name = 0;    // width
    float formula = 0; // 0: left out
    float number = 0;
    float share = 0; // 0: left out
};

class Rows
{
public:
    Rows(const Painter& painter, Rect area, const Frame& frame, const LayerTensors& layer,
         ActivationsState& state)
        : p_(painter), frame_(frame), layer_(layer), state_(state), area_(area)
    {
        least_ = p_.height(Type::small) + p_.px(1);
        measure();
    }

    void draw()
    {
        choose();
        if (shown_.empty())
        {
            return;
        }
        Rect rest = area_;
        const float row = std::min(rest.h / static_cast<float>(lines()), p_.px(38));
        std::optional<LayerHalf> half;
        for (const TensorRow* tensor : shown_)
        {
            if (headings_ && half != tensor->tensor.half)
            {
                half = tensor->tensor.half;
                draw_heading(rest.cut_top(row), *half);
            }
            draw_row(rest.cut_top(row), *tensor);
        }
        draw_others(rest.cut_top(row));
        p_.part("tensors", area_);
    }

private:
    std::size_t lines() const
    {
        return shown_.size() + (headings_ ? 2 : 0) + (shown_.size() < layer_.rows.size() ? 1 : 0);
    }

    // All rows if they have room, with headings if these have too; else the largest.
    void choose()
    {
        const auto room = static_cast<std::size_t>(std::max(0.0F, area_.h / least_));
        for (const TensorRow& row : layer_.rows)
        {
            shown_.push_back(&row);
        }
        headings_ = !state_.by_size && room >= shown_.size() + 2;
        if (shown_.size() <= room)
        {
            return;
        }
        std::vector<const TensorRow*> largest = shown_;
        std::ranges::stable_sort(largest, std::ranges::greater{},
                                 [](const TensorRow* r)
                                 { return r->keeping == Keeping::kept ? r->bytes : r->bytes * 1e-12; });
        largest.resize(room > 0 ? room - 1 : 0);
        std::erase_if(shown_,
                      [&](const TensorRow* r) { return std::ranges::find(largest, r) == largest.end(); });
    }

    void measure()
    {
        for (const TensorRow& row : layer_.rows)
        {
            columns_.name = std::max(columns_.name, p_.width(Type::small_strong, row.tensor.name));
            columns_.formula = std::max(columns_.formula, p_.width(Type::mono_small, formula_of(row)));
        }
        const float gap = p_.px(12);
        columns_.number = p_.width(Type::mono_small, "0.000 MB") + gap;
        columns_.share = p_.width(Type::mono_small, "0.000%") + gap;
        columns_.name = std::min(columns_.name + gap, area_.w * 0.45F);
        columns_.formula += gap;
        const float bar = p_.px(120);
        const float left = area_.w - columns_.name - columns_.number - bar;
        columns_.formula = columns_.formula <= left ? columns_.formula : 0;
        columns_.share = columns_.share <= left - columns_.formula ? columns_.share : 0;
    }

    std::string formula_of(const TensorRow& row) const
    {
        return explain_tensor(frame_.now.scenario, row.tensor).formula;
    }

    void draw_heading(Rect r, LayerHalf half) const
    {
        double bytes = 0;
        for (const TensorRow& row : layer_.rows)
        {
            bytes += row.tensor.half == half && row.keeping == Keeping::kept ? row.bytes : 0;
        }
        const std::string number = format_bytes(Bytes(bytes), p_.look.unit);
        p_.text_within(r.x, r.middle(), columns_.name, Type::small_strong, p_.theme.text,
                       half == LayerHalf::attention ? "Attention"
                       : layer_.experts             ? "Experts"
                                                    : "MLP");
        p_.text(r.right() - columns_.share, r.middle(), Type::mono_small, p_.theme.text, number,
                Align::right);
    }

    void draw_row(Rect r, const TensorRow& row) const
    {
        const Theme& t = p_.theme;
        const Press pressed = press(p_, r, fmt::format("###tensor {}", row.tensor.name).c_str(), 2);
        react(p_, frame_, pressed, row, state_);
        if (is_lit(row, state_))
        {
            p_.fill(r, t.raised, p_.px(4));
        }
        const bool kept = row.keeping == Keeping::kept;
        const bool most = kept && row.bytes == layer_.most().bytes;
        const Colour ink = most || is_lit(row, state_) ? t.text : t.muted;
        Rect cells = r;
        const Rect name = cells.cut_left(columns_.name);
        p_.text_within(name.x + p_.px(4), name.middle(), name.w - p_.px(8),
                       most ? Type::small_strong : Type::small, kept ? t.text : t.muted, row.tensor.name);
        const Rect formula = cells.cut_left(columns_.formula);
        if (formula.w > 0)
        {
            p_.text(formula.x, formula.middle(), Type::mono_small, ink, formula_of(row));
        }
        const Rect share = cells.cut_right(columns_.share);
        if (share.w > 0 && kept)
        {
            p_.text(share.right(), share.middle(), Type::mono_small, ink,
                    format_percent(row.bytes / std::max(1.0, layer_.kept)), Align::right);
        }
        const Rect number = cells.cut_right(columns_.number);
        p_.text(number.right(), number.middle(), Type::mono_small, kept ? t.text : t.muted,
                format_bytes(Bytes(row.bytes), p_.look.unit), Align::right);
        draw_bar(cells, row);
        p_.part(row.tensor.name, r);
    }

    void draw_bar(Rect cell, const TensorRow& row) const
    {
        const float inset = std::max(1.0F, std::round(cell.h * 0.16F));
        const double share = row.bytes / std::max(1.0, layer_.largest);
        const float w = cell.w * static_cast<float>(std::min(1.0, share));
        const Rect bar{cell.x, cell.y + inset, std::max(2.0F, w), cell.h - 2 * inset};
        draw_bytes(p_, bar, row, layer_.most().bytes);
        if (share > 1)
        {
            draw_break(p_, bar);
        }
    }

    void draw_others(Rect r) const
    {
        const std::size_t others = layer_.rows.size() - shown_.size();
        if (others == 0)
        {
            return;
        }
        double bytes = layer_.kept;
        for (const TensorRow* row : shown_)
        {
            bytes -= row->keeping == Keeping::kept ? row->bytes : 0;
        }
        p_.text_within(r.x + p_.px(4), r.middle(), r.w, Type::small, p_.theme.muted,
                       fmt::format("and {} smaller, {} kept", others,
                                   format_bytes(Bytes(std::max(0.0, bytes)), p_.look.unit)));
    }

    const Painter& p_;
    const Frame& frame_;
    const LayerTensors& layer_;
    ActivationsState& state_;
    Rect area_;
    float least_;
    Columns columns_;
    std::vector<const TensorRow*> shown_;
    bool headings_ = false;
};

// All tensors side by side; those that are never written behind the others, cut where they would take more
// than their share.
class Strip
{
public:
    Strip(const Painter& painter, Rect area, const Frame& frame, const LayerTensors& layer,
          ActivationsState& state)
        : p_(painter), frame_(frame), layer_(layer), state_(state), area_(area)
    {
        constexpr double kMostNever = 0.3;
        const double written = std::max(1.0, layer.kept + layer.again);
        const double share = std::min(kMostNever, layer.never / (written + layer.never));
        written_ = area.w * static_cast<float>((1 - share) / written);
        never_ = layer.never > 0 ? area.w * static_cast<float>(share / layer.never) : 0;
        broken_ = layer.never / (written + layer.never) > kMostNever;
    }

    void draw()
    {
        float x = area_.x;
        for (const bool never : {false, true})
        {
            for (const TensorRow& row : layer_.rows)
            {
                if ((row.keeping == Keeping::never) != never)
                {
                    continue;
                }
                const float w = static_cast<float>(row.bytes) * (never ? never_ : written_);
                draw_block({x, area_.y, w - (w > 4 ? 1.0F : 0.0F), area_.h}, row);
                x += w;
            }
        }
        if (broken_)
        {
            draw_break(p_, area_);
        }
    }

private:
    void draw_block(Rect block, const TensorRow& row)
    {
        if (block.w < 1)
        {
            return;
        }
        draw_bytes(p_, block, row, layer_.most().bytes);
        const std::string label = fmt::format("###block {}", row.tensor.name);
        react(p_, frame_, press(p_, block, label.c_str(), 2), row, state_);
        if (is_lit(row, state_))
        {
            p_.outline(block, p_.theme.text, p_.px(2), p_.px(2));
        }
        const bool most = row.keeping == Keeping::kept && row.bytes == layer_.most().bytes;
        if (most && p_.width(Type::small_strong, row.tensor.name) + p_.px(8) < block.w &&
            p_.height(Type::small_strong) < block.h)
        {
            p_.text(block.centre(), block.middle(), Type::small_strong,
                    p_.theme.of(Component::activations).label, row.tensor.name, Align::centre);
        }
    }

    const Painter& p_;
    const Frame& frame_;
    const LayerTensors& layer_;
    ActivationsState& state_;
    Rect area_;
    float written_ = 0; // [px/B]
    float never_ = 0;
    bool broken_ = false;
};

// Under the strip, what the parts of it come to.
void draw_sums(const Painter& p, Rect row, const LayerTensors& layer)
{
    struct Sum
    {
        std::string_view words;
        double bytes;
        Colour colour;
    };
    const std::array sums{Sum{"kept", layer.kept, p.theme.text},
                          Sum{"computed again", layer.again, p.theme.muted},
                          Sum{"never written", layer.never, p.theme.muted}};
    for (const Sum& sum : sums)
    {
        const std::string says = fmt::format("{} {}", format_bytes(Bytes(sum.bytes), p.look.unit), sum.words);
        if (sum.bytes <= 0 || p.width(Type::small_strong, says) > row.w)
        {
            continue;
        }
        const float w = p.text(row.x, row.middle(),
                               sum.bytes == layer.kept ? Type::small_strong : Type::small, sum.colour, says);
        row.cut_left(w + p.px(20));
    }
}

} // namespace

void draw_layer_strip(const Painter& p, Rect area, const Frame& frame, const LayerTensors& layer,
                      ActivationsState& state)
{
    p.part("layer", area);
    draw_sums(p, area.cut_bottom(p.height(Type::small) + p.px(8)), layer);
    Strip(p, area, frame, layer, state).draw();
}

void draw_tensor_rows(const Painter& painter, Rect area, const Frame& frame, const LayerTensors& layer,
                      ActivationsState& state)
{
    Rows(painter, area, frame, layer, state).draw();
}

} // namespace ringside
