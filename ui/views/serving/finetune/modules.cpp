#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/views/serving/finetune/pictures.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/fill.h"

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

std::vector<Shown> shown(const FinetuneModel& model)
{
    std::vector<Shown> all;
    for (const LoraMatrix& m : model.matrices)
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

// Where each matrix of the block lies, all on one scale.
struct LoraPlaces
{
    float scale = 0; // [px] of one width of the model
    std::vector<Rect> cells;
};

float strip_of(const Painter& p, std::int64_t rank)
{
    return std::clamp(std::sqrt(static_cast<float>(rank)) * p.px(1.1F), p.px(2), p.px(26));
}

// Side by side in rows, from the left, on this scale. Each with its strips, and its name below.
LoraPlaces placed(const Painter& p, Rect area, std::span<const Shown> all, float scale, float strip)
{
    const float gap = p.px(12);
    const float words = p.height(Type::small) * 2 + p.px(4);
    LoraPlaces places{scale, {}};
    float x = area.x;
    float y = area.y;
    float row = 0;
    for (const Shown& s : all)
    {
        const float w = std::max(p.px(92), static_cast<float>(s.most.in) * scale + strip + p.px(4));
        const float h = static_cast<float>(s.most.out) * scale + strip + p.px(4) + words;
        if (x > area.x && x + w > area.right())
        {
            x = area.x;
            y += row + gap;
            row = 0;
        }
        places.cells.push_back({x, y, w, h});
        x += w + gap;
        row = std::max(row, h);
    }
    return places;
}

// The largest scale on which all have room.
LoraPlaces places_of(const Painter& p, Rect area, std::span<const Shown> all, float strip)
{
    constexpr int kHalvings = 20;
    float low = 0;
    float high = area.w;
    for (int i = 0; i < kHalvings; ++i)
    {
        const float middle = (low + high) / 2;
        const LoraPlaces tried = placed(p, area, all, middle, strip);
        const bool fits = std::ranges::all_of(
            tried.cells, [&](const Rect& cell)
            { return cell.right() <= area.right() + 0.5F && cell.bottom() <= area.bottom() + 0.5F; });
        (fits ? low : high) = middle;
    }
    return placed(p, area, all, low, strip);
}

// W on the scale of the block, B at its right and A below it; strips grow with the root of the rank, since on
// that scale nobody could see them.
void draw_lora_matrix(const Painter& p, Rect r, const Shown& s, const FinetuneSettings& settings, float scale,
                      bool trained)
{
    const Theme& t = p.theme;
    const float strip = strip_of(p, settings.setup.rank);
    const auto side = [&](std::int64_t n) { return std::max(p.px(3), static_cast<float>(n) * scale); };
    const Rect w{r.x, r.y, std::min(side(s.most.in), r.w), std::min(side(s.most.out), r.h)};
    const bool full = settings.recipe == FinetuneRecipe::full;
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
std::optional<FinetuneSettings> lora_settings(const Painter& p, const Press& pressed, Rect cell,
                                              const Shown& s, const FinetuneSettings& settings)
{
    FinetuneSettings next = settings;
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
    return next == settings ? std::nullopt : std::optional(next);
}

std::optional<FinetuneSettings> draw_lora_cell(const Painter& p, Rect cell, const Shown& s,
                                               const FinetuneSettings& settings, float scale)
{
    const Theme& t = p.theme;
    const bool on = settings.setup.modules[static_cast<std::size_t>(s.module)];
    const bool trained = on && settings.recipe != FinetuneRecipe::full;
    const Press pressed = press(p, cell, fmt::format("###adapter {}", name_of(s.module)).c_str(), 6);
    if (pressed.hovered)
    {
        p.outline(cell.inset(-p.px(4)), t.line, 1, p.px(6));
    }
    tooltip(p, tip(s, settings.setup.rank));
    Rect inner = cell;
    const Rect words = inner.cut_bottom(p.height(Type::small) * 2);
    draw_lora_matrix(p, inner, s, settings, scale, trained);
    const float line = words.h / 2;
    p.text_within(words.x, words.y + line / 2, words.w, Type::small_strong, trained ? t.text : t.muted,
                  name_of(s.module));
    const std::string number = trained
                                   ? "+ " + format_count(static_cast<double>(settings.setup.rank * s.widths))
                               : on ? "fully trained"
                                    : "frozen";
    p.text_within(words.x, words.y + line * 1.5F, words.w, Type::small, t.muted, number);
    return lora_settings(p, pressed, cell, s, settings);
}

} // namespace

std::optional<FinetuneSettings> draw_lora_modules(const Painter& p, Rect area, const FinetuneModel& model)
{
    const std::vector<Shown> all = shown(model);
    const LoraPlaces places = places_of(p, area, all, strip_of(p, model.settings.setup.rank));
    std::optional<FinetuneSettings> moved;
    for (std::size_t i = 0; i < all.size() && places.cells[i].bottom() <= area.bottom() + 1; ++i)
    {
        const auto settings = draw_lora_cell(p, places.cells[i], all[i], model.settings, places.scale);
        moved = settings ? settings : moved;
    }
    p.part("adapters", area);
    return moved;
}

} // namespace ringside
