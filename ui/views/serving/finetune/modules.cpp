#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/serving/finetune/pictures.h"
#include "ui/widgets/controls.h"

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

class Cells
{
public:
    Cells(const Painter& painter, Rect area, const FinetuneDesk& desk)
        : p_(painter), wish_(desk.wish), all_(shown(desk)), area_(area)
    {
        lay_out();
        for (const Shown& s : all_)
        {
            widest_ = std::max({widest_, s.most.in, s.most.out});
        }
    }

    std::optional<FinetuneWish> draw()
    {
        std::optional<FinetuneWish> moved;
        for (std::size_t i = 0; i < all_.size(); ++i)
        {
            const Rect cell{area_.x + width_ * static_cast<float>(i % columns_),
                            area_.y + height_ * static_cast<float>(i / columns_), width_ - p_.px(8),
                            height_ - p_.px(8)};
            if (const auto wish = draw_cell(cell, all_[i]))
            {
                moved = wish;
            }
        }
        p_.part("adapters", area_);
        return moved;
    }

private:
    // As many columns as make the cells a little higher than wide.
    void lay_out()
    {
        constexpr float kRatio = 1.2F;
        float best = 1e9F;
        for (std::size_t columns = 2; columns <= 5; ++columns)
        {
            const std::size_t rows = std::max<std::size_t>(1, (all_.size() + columns - 1) / columns);
            const float w = area_.w / static_cast<float>(columns);
            const float h = area_.h / static_cast<float>(rows);
            const float off = std::abs(std::log(h / w / kRatio)) + (w < p_.px(80) ? 9.0F : 0.0F);
            if (off < best)
            {
                best = off;
                columns_ = columns;
                width_ = w;
                height_ = std::min(h, w * 1.6F);
            }
        }
    }

    std::optional<FinetuneWish> draw_cell(Rect cell, const Shown& s) const
    {
        const Theme& t = p_.theme;
        const bool on = wish_.setup.modules[static_cast<std::size_t>(s.module)];
        const bool trained = on && wish_.recipe != FinetuneRecipe::full;
        const Press pressed = press(p_, cell, fmt::format("###adapter {}", name_of(s.module)).c_str(), 6);
        p_.card(cell, trained, pressed.hovered);
        tooltip(p_, tip(s, wish_.setup.rank));
        Rect inner = cell.inset(p_.px(8));
        const Rect words = inner.cut_bottom(p_.height(Type::small) * 2);
        draw_matrix(inner, s, trained);
        const float line = words.h / 2;
        p_.text_within(words.x, words.y + line / 2, words.w, Type::small_strong, trained ? t.text : t.muted,
                       name_of(s.module));
        const std::string number = trained
                                       ? "+ " + format_count(static_cast<double>(wish_.setup.rank * s.widths))
                                   : on ? "fully trained"
                                        : "frozen";
        p_.text_within(words.x, words.y + line * 1.5F, words.w, Type::small, t.muted, number);
        return moved(pressed, cell, s);
    }

    // W with roots of its widths as sides, B at its right and A below it; strips grow with the root of the
    // rank.
    void draw_matrix(Rect r, const Shown& s, bool trained) const
    {
        const Theme& t = p_.theme;
        if (r.h < p_.px(18) || r.w < p_.px(24))
        {
            return;
        }
        const float strip = std::clamp(std::sqrt(static_cast<float>(wish_.setup.rank)) * p_.px(1.1F),
                                       p_.px(2), std::min(r.w, r.h) * 0.32F);
        const float most = std::min(r.w, r.h) - strip - p_.px(3);
        const auto side = [&](std::int64_t n)
        { return most * std::sqrt(static_cast<float>(n) / static_cast<float>(widest_)); };
        const Rect w{r.x, r.y, std::max(p_.px(3), side(s.most.in)), std::max(p_.px(3), side(s.most.out))};
        const Colour base = wish_.recipe == FinetuneRecipe::full ? t.of(Component::gradients).fill
                                                                 : t.of(Component::weights).fill;
        p_.fill(w, trained || wish_.recipe == FinetuneRecipe::full ? base : dim(t, base, 0.5F));
        if (trained)
        {
            const float gap = p_.px(2);
            p_.fill({w.right() + gap, w.y, strip, w.h}, t.context.fill);
            p_.fill({w.x, w.bottom() + gap, w.w, strip}, t.context.fill);
            p_.outline({w.right() + gap, w.y, strip, w.h},
                       t.context.edge != 0 ? t.context.edge : t.context.fill);
            p_.outline({w.x, w.bottom() + gap, w.w, strip},
                       t.context.edge != 0 ? t.context.edge : t.context.fill);
        }
    }

    std::optional<FinetuneWish> moved(const Press& pressed, Rect cell, const Shown& s) const
    {
        FinetuneWish next = wish_;
        const float far = p_.px(6);
        const ImGuiIO& io = ImGui::GetIO();
        const bool dragged = io.MouseDragMaxDistanceSqr[0] > far * far;
        if (pressed.held && dragged)
        {
            const float edge = p_.px(10);
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
        return next == wish_ ? std::nullopt : std::optional(next);
    }

    const Painter& p_;
    const FinetuneWish& wish_;
    std::vector<Shown> all_;
    Rect area_;
    std::size_t columns_ = 4;
    float width_ = 0;
    float height_ = 0;
    std::int64_t widest_ = 1;
};

} // namespace

std::optional<FinetuneWish> draw_lora_modules(const Painter& painter, Rect area, const FinetuneDesk& desk)
{
    return Cells(painter, area, desk).draw();
}

} // namespace ringside
