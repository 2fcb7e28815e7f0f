#include "ui/views/alignment/copies.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kModelRoles> kShort{"policy", "ref", "RM", "value"};

class Rows
{
public:
    Rows(const Frame& frame, const Painter& painter, Rect area, const AlignmentDesk& desk, CopyLevels& levels,
         Out& out)
        : p_(painter), desk_(desk), area_(area)
    {
        head_ = area_.cut_top(p_.px(24));
        pitch_ = std::min(p_.px(44), area_.h / static_cast<float>(kAlignmentRecipes));
        names_ = std::min(p_.px(110), area_.w * 0.2F);
        double most = 1;
        for (const AlignmentInfo& info : alignment_recipes())
        {
            most = std::max(most, desk.of(info.recipe).total().value);
            figures_ = std::max(figures_, p_.width(Type::mono_small, bytes_words(info.recipe)) + p_.px(14));
            gpus_ = std::max(gpus_, p_.width(Type::small, gpu_words(info.recipe)) + p_.px(10));
        }
        gpus_ = area_.w > p_.px(520) ? gpus_ : 0;
        figures_ += gpus_;
        most_ =
            static_cast<double>(levels.most.towards(static_cast<float>(most / 1e9), frame, p_.look, out)) *
            1e9;
    }

    std::optional<AlignmentRecipe> draw()
    {
        draw_head();
        std::optional<AlignmentRecipe> pressed;
        if (pitch_ < p_.height(Type::small))
        {
            // Too little room for all: the chosen one.
            draw_row({area_.x, area_.y, area_.w, std::min(area_.h, p_.px(44))}, info_of(desk_.wish.recipe));
            return pressed;
        }
        for (const AlignmentInfo& info : alignment_recipes())
        {
            const Rect row{area_.x, area_.y + pitch_ * static_cast<float>(info.recipe), area_.w, pitch_};
            pressed = draw_row(row, info) ? std::optional(info.recipe) : pressed;
        }
        p_.part("copies", area_);
        return pressed;
    }

private:
    void draw_head() const
    {
        const Theme& t = p_.theme;
        p_.text_within(head_.x, head_.middle(), head_.w, Type::small_strong, t.text,
                       "Models in memory, before any sharding");
        struct Key
        {
            std::string_view name;
            Colour colour;
        };
        const std::array keys{
            Key{"cache", t.of(Component::activations).fill}, Key{"optimizer", t.of(Component::momentum).fill},
            Key{"gradients", t.of(Component::gradients).fill}, Key{"weights", t.of(Component::weights).fill}};
        const float left =
            head_.x + p_.width(Type::small_strong, "Models in memory, before any sharding") + p_.px(24);
        float x = head_.right();
        float all = 0;
        for (const Key& key : keys)
        {
            all += p_.width(Type::small, key.name) + p_.px(34);
        }
        for (const Key& key : keys)
        {
            if (x - all < left && x == head_.right())
            {
                return;
            }
            x -= p_.width(Type::small, key.name);
            p_.text(x, head_.middle(), Type::small, t.muted, key.name);
            x -= p_.px(18);
            p_.fill({x, head_.middle() - p_.px(6), p_.px(12), p_.px(12)}, key.colour);
            x -= p_.px(16);
        }
    }

    bool draw_row(Rect row, const AlignmentInfo& info) const
    {
        const Theme& t = p_.theme;
        const AlignmentReport& r = desk_.of(info.recipe);
        const bool chosen = info.recipe == desk_.wish.recipe;
        const Press pressed = press(p_, {row.x, row.y, row.w, row.h - p_.px(2)},
                                    fmt::format("###align {}", info.name).c_str(), 4);
        if (chosen || pressed.hovered)
        {
            p_.fill({row.x - p_.px(6), row.y, row.w + p_.px(12), row.h - p_.px(2)},
                    chosen ? t.raised : t.control, p_.px(4));
        }
        p_.text_within(row.x, row.middle(), names_ - p_.px(8), chosen ? Type::small_strong : Type::small,
                       chosen ? t.text : t.muted, info.name);
        const Rect bar{row.x + names_, row.y + row.h * 0.14F, row.w - names_ - figures_, row.h * 0.68F};
        draw_bar(bar, r, pressed.hovered);
        draw_figures({bar.right(), row.y, figures_, row.h}, info.recipe, chosen);
        return pressed.clicked;
    }

    void draw_bar(Rect bar, const AlignmentReport& r, bool hovered) const
    {
        const Theme& t = p_.theme;
        double at = 0;
        const auto block = [&](Bytes bytes, const Ink& ink)
        {
            const float from = x(bar, at);
            at += bytes.value;
            const Rect b{from, bar.y, x(bar, at) - from, bar.h};
            if (b.w > 0.3F)
            {
                p_.fill({b.x, b.y, std::max(1.0F, b.w), b.h}, ink.fill);
            }
        };
        for (const ModelCopy& c : r.copies)
        {
            const double start = at;
            block(c.weights, t.of(Component::weights));
            block(c.gradients, t.of(Component::gradients));
            block(c.optimizer, t.of(Component::momentum));
            name_copy({x(bar, start), bar.y, x(bar, at) - x(bar, start), bar.h}, c, hovered);
        }
        const double start = at;
        block(r.cache, t.of(Component::activations));
        const Rect cache{x(bar, start), bar.y, x(bar, at) - x(bar, start), bar.h};
        if (hovered && cache.w > 0 && cache.contains(ImGui::GetIO().MousePos))
        {
            tooltip_at_mouse(
                p_, fmt::format("Keys and values of {} answers of {} tokens while they are written: {}",
                                grouped(desk_.wish.setup.answers), grouped(desk_.wish.setup.tokens),
                                format_bytes(r.cache, p_.look.unit)));
        }
    }

    float x(Rect bar, double bytes) const
    {
        return bar.x + bar.w * static_cast<float>(std::min(1.0, bytes / std::max(1.0, most_)));
    }

    void name_copy(Rect b, const ModelCopy& c, bool hovered) const
    {
        const Theme& t = p_.theme;
        p_.line(b.right(), b.y - p_.px(2), b.right(), b.bottom() + p_.px(2), t.window, p_.px(2));
        const bool trained = c.state == CopyState::trained;
        const std::string_view whole = name_of(c.role);
        const std::string words = trained ? fmt::format("{}, trained", whole) : std::string(whole);
        const std::string brief(kShort.at(static_cast<std::size_t>(c.role)));
        const std::string& said = p_.width(Type::small, words) <= b.w - p_.px(8) ? words : brief;
        const float w = p_.width(Type::small, said);
        // Closer to the edge rather than no name.
        const float edge = w <= b.w - p_.px(8) ? p_.px(2) : p_.px(1);
        if (w <= b.w - 4 * edge && b.h >= p_.height(Type::small) - p_.px(4))
        {
            const Rect ground{b.x + edge, b.middle() - p_.px(9), w + 3 * edge, p_.px(18)};
            p_.fill(ground, with_alpha(t.window, 0.82F), p_.px(3));
            p_.text(b.x + 2.5F * edge, b.middle(), Type::small, t.text, said);
        }
        if (hovered && b.contains(ImGui::GetIO().MousePos))
        {
            tooltip_at_mouse(p_, fmt::format("{}, {}: {}\n\nweights {}, gradients {}, optimizer {}", whole,
                                             trained ? "trained" : "frozen",
                                             format_bytes(c.total(), p_.look.unit),
                                             format_bytes(c.weights, p_.look.unit),
                                             format_bytes(c.gradients, p_.look.unit),
                                             format_bytes(c.optimizer, p_.look.unit)));
        }
    }

    void draw_figures(Rect r, AlignmentRecipe recipe, bool chosen) const
    {
        const Theme& t = p_.theme;
        const Colour ink = chosen ? t.text : t.muted;
        if (gpus_ > 0)
        {
            p_.text(r.right(), r.middle(), Type::small, ink, gpu_words(recipe), Align::right);
        }
        p_.text(r.right() - gpus_, r.middle(), Type::mono_small, ink, bytes_words(recipe), Align::right);
    }

    std::string bytes_words(AlignmentRecipe recipe) const
    {
        return format_bytes(desk_.of(recipe).total(), p_.look.unit);
    }
    std::string gpu_words(AlignmentRecipe recipe) const
    {
        const std::int64_t n = desk_.gpus(recipe);
        return fmt::format("{} GPU{}", grouped(n), n == 1 ? "" : "s");
    }

    const Painter& p_;
    const AlignmentDesk& desk_;
    Rect area_;
    Rect head_;
    float pitch_ = 1;
    float names_ = 0;
    float figures_ = 0; // the columns right of the bars
    float gpus_ = 0;    // of them; 0: left out
    double most_ = 1;
};

} // namespace

std::optional<AlignmentRecipe> draw_model_copies(const Frame& frame, const Painter& painter, Rect area,
                                                 const AlignmentDesk& desk, CopyLevels& levels, Out& out)
{
    return Rows(frame, painter, area, desk, levels, out).draw();
}

} // namespace ringside
