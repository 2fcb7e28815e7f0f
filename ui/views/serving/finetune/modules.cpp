#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/serving/finetune/pictures.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/fill.h"
#include "ui/widgets/pictures/cell_grid.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// All matrices of a module, the one that there is most of on show.
struct Shown
{
    LoraModule module;
    LoraMatrix most;
    std::int64_t widths = 0; // sum of in + out over all of them
};

std::vector<Shown> shown(const FinetuneDesk& desk)
{
    std::vector<Shown> all;
    for (const LoraMatrix& m : desk.matrices())
    {
        auto found = std::ranges::find(all, m.module, &Shown::module);
        if (found == all.end())
        {
            all.push_back({m.module, m, 0});
            found = all.end() - 1;
        }
        found->most =
            m.count * m.in * m.out > found->most.count * found->most.in * found->most.out ? m : found->most;
        found->widths += (m.in + m.out) * m.count;
    }
    std::ranges::sort(all, {}, &Shown::module);
    return all;
}

std::string tip(const Shown& s, std::int64_t rank)
{
    return fmt::format(
        "{}: {} matrices, mainly {} \u00d7 {}\n\nAdapter r (d_in + d_out) = {} \u00d7 ({} + {}) = "
        "{}\nin total {} trained, {} frozen\n\nClick to add or remove its adapter, drag to set the "
        "rank.\nHu et al. 2021, arXiv 2106.09685, section 4.1",
        name_of(s.module), grouped(s.most.count), grouped(s.most.in), grouped(s.most.out), rank, s.most.in,
        s.most.out, grouped(s.most.adapter(rank)), format_count(static_cast<double>(rank * s.widths)),
        format_count(static_cast<double>(s.most.in) * static_cast<double>(s.most.out) *
                     static_cast<double>(s.most.count)));
}

// As many columns as make the cells a little higher than wide.
CellGrid lora_grid(const Painter& p, Rect area, std::int64_t cells)
{
    constexpr float kRatio = 1.2F;
    CellGrid best;
    float least = 1e9F;
    for (std::int64_t columns = 2; columns <= 5; ++columns)
    {
        const std::int64_t rows = std::max<std::int64_t>(1, (cells + columns - 1) / columns);
        const float w = area.w / static_cast<float>(columns);
        const float h = area.h / static_cast<float>(rows);
        const float off = std::abs(std::log(h / w / kRatio)) + (w < p.px(80) ? 9.0F : 0.0F);
        if (off < least)
        {
            least = off;
            const float high = std::min(h, w * 1.6F) * static_cast<float>(rows);
            best = {{area.x, area.y, area.w, high}, rows, columns, p.px(8)};
        }
    }
    return best;
}

// W with roots of its widths, of the `widest` one's, as sides, B at its right and A below it; strips grow
// with the root of the rank.
void draw_lora_matrix(const Painter& p, Rect r, const Shown& s, const FinetuneWish& wish, std::int64_t widest,
                      bool trained)
{
    const Theme& t = p.theme;
    if (r.h < p.px(18) || r.w < p.px(24))
    {
        return;
    }
    const float strip = std::clamp(std::sqrt(static_cast<float>(wish.setup.rank)) * p.px(1.1F), p.px(2),
                                   std::min(r.w, r.h) * 0.32F);
    const float most = std::min(r.w, r.h) - strip - p.px(3);
    const auto side = [&](std::int64_t n)
    { return std::max(p.px(3), most * std::sqrt(static_cast<float>(n) / static_cast<float>(widest))); };
    const Rect w{r.x, r.y, side(s.most.in), side(s.most.out)};
    const bool full = wish.recipe == FinetuneRecipe::full;
    const Colour base = t.of(full ? Component::gradients : Component::weights).fill;
    p.fill(w, trained || full ? base : dim(t, base, 0.5F));
    if (trained)
    {
        const float gap = p.px(2);
        draw_fill(p, {w.right() + gap, w.y, strip, w.h}, {t.context});
        draw_fill(p, {w.x, w.bottom() + gap, w.w, strip}, {t.context});
    }
}

// A press takes or gives the module its adapter, dragging across its cell sets the rank.
std::optional<FinetuneWish> lora_wish(const Painter& p, const Press& pressed, Rect cell, const Shown& s,
                                      const FinetuneWish& wish)
{
    FinetuneWish next = wish;
    const float far = p.px(6);
    const ImGuiIO& io = ImGui::GetIO();
    const bool dragged = io.MouseDragMaxDistanceSqr[0] > far * far;
    if (pressed.held && dragged)
    {
        const float edge = p.px(10);
        const float share =
            std::clamp((io.MousePos.x - cell.x - edge) / std::max(1.0F, cell.w - 2 * edge), 0.0F, 1.0F);
        const auto stop =
            static_cast<std::size_t>(std::lround(share * static_cast<float>(kRanks.size() - 1)));
        next.setup.rank = static_cast<std::int64_t>(kRanks[stop]);
    }
    else if (pressed.clicked && !dragged)
    {
        bool& on = next.setup.modules[static_cast<std::size_t>(s.module)];
        on = !on;
    }
    return next == wish ? std::nullopt : std::optional(next);
}

std::optional<FinetuneWish> draw_lora_cell(const Painter& p, Rect cell, const Shown& s,
                                           const FinetuneWish& wish, std::int64_t widest)
{
    const Theme& t = p.theme;
    const bool on = wish.setup.modules[static_cast<std::size_t>(s.module)];
    const bool trained = on && wish.recipe != FinetuneRecipe::full;
    const Press pressed = press(p, cell, fmt::format("###adapter {}", name_of(s.module)).c_str(), 6);
    p.card(cell, trained, pressed.hovered);
    tooltip(p, tip(s, wish.setup.rank));
    Rect inner = cell.inset(p.px(8));
    const Rect words = inner.cut_bottom(p.height(Type::small) * 2);
    draw_lora_matrix(p, inner, s, wish, widest, trained);
    const float line = words.h / 2;
    p.text_within(words.x, words.y + line / 2, words.w, Type::small_strong, trained ? t.text : t.muted,
                  name_of(s.module));
    const std::string number = trained ? "+ " + format_count(static_cast<double>(wish.setup.rank * s.widths))
                               : on    ? "fully trained"
                                       : "frozen";
    p.text_within(words.x, words.y + line * 1.5F, words.w, Type::small, t.muted, number);
    return lora_wish(p, pressed, cell, s, wish);
}

} // namespace

std::optional<FinetuneWish> draw_lora_modules(const Painter& p, Rect area, const FinetuneDesk& desk)
{
    const std::vector<Shown> all = shown(desk);
    std::int64_t widest = 1;
    for (const Shown& s : all)
    {
        widest = std::max({widest, s.most.in, s.most.out});
    }
    const CellGrid grid = lora_grid(p, area, std::ssize(all));
    std::optional<FinetuneWish> moved;
    for (std::int64_t i = 0; i < std::ssize(all); ++i)
    {
        const Rect cell = grid.cell(i / grid.columns, i % grid.columns);
        const auto wish = draw_lora_cell(p, cell, all[static_cast<std::size_t>(i)], desk.wish, widest);
        moved = wish ? wish : moved;
    }
    p.part("adapters", area);
    return moved;
}

} // namespace ringside
