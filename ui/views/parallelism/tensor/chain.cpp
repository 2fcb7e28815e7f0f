#include <fmt/format.h>

#include "ui/views/parallelism/tensor/pictures.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

// Places in the chain.
enum class Slot : std::uint8_t
{
    x,
    a,
    h,
    y,
    b,
    z
};
constexpr std::size_t kSlots = 6;
constexpr double kMostInput = 3;
constexpr std::string_view kWidest = "\u22120.0"; // of figures with one place

Slot slot_of(TensorStage stage)
{
    constexpr std::array kOf{Slot::x, Slot::x, Slot::h, Slot::y, Slot::z, Slot::z,
                             Slot::z, Slot::z, Slot::y, Slot::h, Slot::x, Slot::x};
    return kOf.at(static_cast<std::size_t>(stage));
}

bool is_gradient(TensorStage stage)
{
    return stage >= TensorStage::loss;
}

class Chain
{
public:
    Chain(const Painter& painter, Rect area, const ChainMoment& moment, std::optional<HeldCell>& held)
        : p_(painter), m_(moment), t_(moment.algebra), held_(held), bounds_(area)
    {
        ranks_ = t_.options().ranks;
        trap_ = t_.options().cut == TensorCut::row_first;
        head_ = area.cut_top(p_.px(24));
        names_ = p_.width(Type::small, "rank 0") + p_.px(12);
        area.cut_left(names_);
        const float rows = static_cast<float>(ranks_) * (kSide + 0.6F) - 0.6F;
        cell_h_ = std::floor(std::clamp(area.h / rows, 3.0F, p_.px(96)));
        pitch_ = cell_h_ * (kSide + 0.6F);
        area_ = area;
        place_slots(area, std::min(p_.px(26), area.w * 0.03F));
        if (!place_figures(1))
        {
            // Figures before gaps, then smaller figures, then none.
            place_slots(area, p_.px(10));
            if (!place_figures(1))
            {
                place_figures(std::min({0.99F, (cell_w_ - p_.px(3)) / p_.width(Type::mono_small, kWidest),
                                        cell_h_ / (0.8F * p_.height(Type::mono_small))}));
            }
        }
    }

    std::optional<Matrix> draw()
    {
        draw_head();
        for (std::int64_t rank = 0; rank < ranks_; ++rank)
        {
            p_.text(bounds_.x, row_y(rank) + 2 * cell_h_, Type::small, p_.theme.muted,
                    fmt::format("rank {}", rank));
            for (std::size_t s = 0; s < (trap_ ? 4 : kSlots); ++s)
            {
                draw_slot(rank, static_cast<Slot>(s));
            }
        }
        if (trap_)
        {
            draw_answer();
        }
        const auto wish = drag_input();
        draw_tip();
        return wish;
    }

private:
    std::int64_t cols_of(Slot slot) const
    {
        const std::int64_t thin = kSide / ranks_;
        switch (slot)
        {
        case Slot::x:
            return trap_ ? thin : kSide;
        case Slot::a:
        case Slot::h:
        case Slot::y:
            return trap_ ? kSide : thin;
        default:
            return kSide;
        }
    }
    // Whether there is room for figures of this share of their type's size.
    bool place_figures(float share)
    {
        const float least = 9 * 1.32F; // [px] of type that people can read
        const float high = p_.height(Type::mono_small) * share;
        const float room = cell_w_ - p_.px(3);
        const bool fits = cell_h_ >= high * 0.8F && (share == 1 || high >= least);
        digits_ = !fits                                                            ? -1
                  : room >= p_.width(Type::mono_small, "\u22120.00") * share       ? 2
                  : room >= p_.width(Type::mono_small, kWidest) * share - p_.px(2) ? 1
                                                                                   : -1;
        shrunk_ = share;
        return digits_ >= 0;
    }
    void place_slots(Rect area, float gap)
    {
        std::int64_t cols = 0;
        for (std::size_t s = 0; s < kSlots; ++s)
        {
            cols += trap_ && s == 5 ? 0 : cols_of(static_cast<Slot>(s));
        }
        cell_w_ = std::floor(std::min((area.w - 5 * gap) / static_cast<float>(cols), p_.px(100)));
        float x = area.x;
        for (std::size_t s = 0; s < kSlots; ++s)
        {
            x_.at(s) = x;
            x += cell_w_ * static_cast<float>(cols_of(static_cast<Slot>(s))) + gap;
        }
    }
    float row_y(std::int64_t rank) const { return area_.y + pitch_ * static_cast<float>(rank); }
    float slot_x(Slot slot) const { return x_.at(static_cast<std::size_t>(slot)); }

    // The latest stage that has begun in a slot; nothing where none has.
    std::optional<TensorStage> latest(Slot slot) const
    {
        std::optional<TensorStage> found;
        const auto& stages = t_.stages();
        for (std::size_t i = 0; i < stages.size() && i < m_.done(); ++i)
        {
            found = slot_of(stages[i]) == slot ? stages[i] : found;
        }
        return found;
    }
    bool at_work(Slot slot) const { return m_.part() > 0 && slot_of(m_.next()) == slot; }

    using Names = std::array<std::string_view, kSlots>;
    bool fit(const Names& names) const
    {
        for (std::size_t s = 0; s + 1 < kSlots; ++s)
        {
            const float pitch = x_.at(s + 1) - x_.at(s);
            if (p_.width(Type::small_strong, names.at(s)) > pitch - p_.px(4))
            {
                return false;
            }
        }
        return true;
    }
    void draw_head() const
    {
        constexpr Names kForward{"X", "A", "H = X A", "Y = GeLU(H)", "B", "Z = Y B"};
        constexpr Names kBackward{"dX", "A", "dH", "dY", "B", "dZ"};
        constexpr Names kBrief{"X", "A", "H", "Y", "B", "Z"};
        const bool brief = !fit(kForward);
        for (std::size_t s = 0; s < (trap_ ? 4 : kSlots) && (!brief || fit(kBrief)); ++s)
        {
            const auto slot = static_cast<Slot>(s);
            const auto shown = at_work(slot) ? std::optional<TensorStage>(m_.next()) : latest(slot);
            const Names& names = brief ? kBrief : shown && is_gradient(*shown) ? kBackward : kForward;
            const float w = cell_w_ * static_cast<float>(cols_of(slot));
            p_.text(x_.at(s) + w / 2, head_.middle(), Type::small_strong, p_.theme.text, names.at(s),
                    Align::centre);
        }
    }

    Colour tint(Component of, float amount) const
    {
        return mix(p_.theme.light ? p_.theme.panel : p_.theme.control, p_.theme.of(of).fill, amount);
    }
    Rect cell(float x, float y, std::int64_t r, std::int64_t c) const
    {
        return {x + cell_w_ * static_cast<float>(c), y + cell_h_ * static_cast<float>(r), cell_w_ - 1,
                cell_h_ - 1};
    }

    // `shown`: so many cells of it, from the top left.
    void draw_matrix(float x, float y, const RankPart& part, Component kind, std::int64_t shown) const
    {
        const Matrix& m = part.values;
        for (std::int64_t i = 0; i < m.rows * m.cols && i < shown; ++i)
        {
            const Rect box = cell(x, y, i / m.cols, i % m.cols);
            p_.fill(box, tint(kind, p_.theme.light ? 0.35F : 0.42F));
            if (part.partial)
            {
                p_.hatch(box, with_alpha(p_.theme.text, 0.22F), kIdleHatch);
            }
            if (digits_ >= 0)
            {
                p_.text_shrunk(box.centre(), box.middle(), Type::mono_small, shrunk_, p_.theme.text,
                               cell_number(m.values[static_cast<std::size_t>(i)], digits_), Align::centre);
            }
        }
        const Rect frame{x - 1, y - 1, cell_w_ * static_cast<float>(m.cols) + 1,
                         cell_h_ * static_cast<float>(m.rows) + 1};
        if (all_shown(m, shown))
        {
            p_.outline(frame, p_.theme.line);
        }
    }
    static bool all_shown(const Matrix& m, std::int64_t shown) { return shown >= m.rows * m.cols; }

    float top(std::int64_t rank, Slot slot, const RankPart& part) const
    {
        // Rows of a split matrix lie where they belong; rows of weights in the middle.
        const bool weights = slot == Slot::a || slot == Slot::b;
        const float off =
            weights ? static_cast<float>(kSide - part.values.rows) / 2 : static_cast<float>(part.row);
        return row_y(rank) + cell_h_ * off;
    }

    void draw_slot(std::int64_t rank, Slot slot) const
    {
        const float x = slot_x(slot);
        if (slot == Slot::a || slot == Slot::b)
        {
            const RankPart part = slot == Slot::a ? t_.first_weights(rank) : t_.second_weights(rank);
            draw_matrix(x, top(rank, slot, part), part, Component::weights, 16);
            return;
        }
        const auto before = latest(slot);
        const float w = cell_w_ * static_cast<float>(cols_of(slot));
        p_.outline({x - 1, row_y(rank) - 1, w + 1, cell_h_ * kSide + 1}, p_.theme.grid);
        const bool leaves = at_work(slot) && communicates(m_.next());
        if (before && !leaves)
        {
            const RankPart& part = t_.part(rank, *before);
            draw_matrix(x, top(rank, slot, part), part, kind_of(*before), 16);
        }
        if (!at_work(slot))
        {
            return;
        }
        communicates(m_.next()) ? draw_moving(rank, slot) : draw_making(rank, slot);
    }
    static Component kind_of(TensorStage stage)
    {
        return is_gradient(stage) ? Component::gradients : Component::activations;
    }

    // The new cells over what was there.
    void draw_making(std::int64_t rank, Slot slot) const
    {
        const RankPart& part = t_.part(rank, m_.next());
        const std::int64_t cells = part.values.rows * part.values.cols;
        const auto shown = static_cast<std::int64_t>(std::ceil(m_.part() * static_cast<float>(cells)));
        const float x = slot_x(slot);
        const float y = top(rank, slot, part);
        draw_matrix(x, y, part, kind_of(m_.next()), shown);
        const std::int64_t last = std::clamp<std::int64_t>(shown - 1, 0, cells - 1);
        p_.outline(cell(x, y, last / part.values.cols, last % part.values.cols), p_.theme.text, p_.px(2));
    }

    // To the middle of all ranks and back, with the sum.
    void draw_moving(std::int64_t rank, Slot slot) const
    {
        const bool out = m_.part() < 0.5F;
        const float e = ease(out ? 2 * m_.part() : 2 - 2 * m_.part());
        const auto before = latest(slot);
        const RankPart& part = out && before ? t_.part(rank, *before) : t_.part(rank, m_.next());
        const float own = top(rank, slot, part);
        const float middle = area_.y + pitch_ * static_cast<float>(ranks_ - 1) / 2;
        const float y = own + (middle - own) * e;
        draw_matrix(slot_x(slot), y, part, kind_of(m_.next()), 16);
        p_.outline({slot_x(slot) - 2, y - 2, cell_w_ * static_cast<float>(part.values.cols) + 3,
                    cell_h_ * static_cast<float>(part.values.rows) + 3},
                   p_.theme.tensor.fill, p_.px(2));
    }

    // What GeLU of partial sums makes, above what it should be.
    void draw_answer()
    {
        const float x = slot_x(Slot::b);
        const float title = p_.height(Type::small_strong);
        const float all = pitch_ * static_cast<float>(ranks_) - cell_h_ * 0.6F;
        const float usual = cell_h_;
        cell_h_ = std::min(cell_h_, (all - title) / (2 * kSide));
        const float below = area_.y + all - cell_h_ * kSide;
        const float middle = x + cell_w_ * kSide / 2;
        p_.text(middle, head_.middle(), Type::small_strong, p_.theme.text, "sum of GeLUs", Align::centre);
        p_.text(middle, below - title / 2, Type::small_strong, p_.theme.text, "GeLU of the sum",
                Align::centre);
        if (m_.done() == t_.stages().size())
        {
            draw_matrix(x, area_.y, t_.part(0, TensorStage::reduce), Component::activations, 16);
            mark_wrong(x, area_.y);
        }
        else
        {
            p_.outline({x - 1, area_.y - 1, cell_w_ * kSide + 1, cell_h_ * kSide + 1}, p_.theme.grid);
        }
        draw_matrix(x, below, {t_.whole(TensorStage::activation)}, Component::activations, 16);
        cell_h_ = usual;
    }
    void mark_wrong(float x, float y) const
    {
        const Matrix& made = t_.part(0, TensorStage::reduce).values;
        const Matrix& right = t_.whole(TensorStage::activation);
        for (std::int64_t i = 0; i < kSide * kSide; ++i)
        {
            const auto k = static_cast<std::size_t>(i);
            if (std::abs(made.values[k] - right.values[k]) > 0.005)
            {
                p_.outline(cell(x, y, i / kSide, i % kSide), p_.theme.warning, p_.px(2));
            }
        }
    }

    std::optional<Matrix> drag_input()
    {
        const Matrix& x = t_.options().x;
        const RankPart& part = t_.part(0, TensorStage::input);
        const Rect box{slot_x(Slot::x), top(0, Slot::x, part), cell_w_ * static_cast<float>(part.values.cols),
                       cell_h_ * static_cast<float>(part.values.rows)};
        const Press pressed = press(p_, box, "###numbers of the input", 2);
        tooltip(p_, "Drag a number up or down");
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        if (!pressed.held)
        {
            held_.reset();
            return std::nullopt;
        }
        if (!held_)
        {
            const auto index = [](float at, std::int64_t n)
            { return std::clamp<std::int64_t>(static_cast<std::int64_t>(at), 0, n - 1); };
            const std::int64_t r = part.row + index((mouse.y - box.y) / cell_h_, part.values.rows);
            const std::int64_t c = part.col + index((mouse.x - box.x) / cell_w_, part.values.cols);
            held_ = HeldCell{r, c, x.at(r, c), mouse.y};
        }
        const auto moved = static_cast<double>((held_->y - mouse.y) / p_.px(40));
        Matrix next = x;
        next.at(held_->row, held_->col) =
            std::clamp(std::round((held_->from + moved) * 10) / 10, -kMostInput, kMostInput);
        return next == x ? std::nullopt : std::optional<Matrix>(next);
    }

    struct Pointed
    {
        std::int64_t rank = 0;
        TensorStage stage = TensorStage::first;
        std::int64_t row = 0;
        std::int64_t col = 0;
    };
    std::optional<Pointed> pointed() const
    {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        for (std::int64_t rank = 0; rank < ranks_; ++rank)
        {
            for (const Slot slot : {Slot::x, Slot::h, Slot::y, Slot::z})
            {
                const auto stage = trap_ && slot == Slot::z ? std::nullopt : latest(slot);
                if (!stage)
                {
                    continue;
                }
                const RankPart& part = t_.part(rank, *stage);
                const Rect box{slot_x(slot), top(rank, slot, part),
                               cell_w_ * static_cast<float>(part.values.cols),
                               cell_h_ * static_cast<float>(part.values.rows)};
                if (box.contains(mouse))
                {
                    return Pointed{rank, *stage, static_cast<std::int64_t>((mouse.y - box.y) / cell_h_),
                                   static_cast<std::int64_t>((mouse.x - box.x) / cell_w_)};
                }
            }
        }
        return std::nullopt;
    }

    void draw_tip() const
    {
        const auto at = pointed();
        if (!at || ImGui::IsMouseDown(0))
        {
            return;
        }
        const RankPart& part = t_.part(at->rank, at->stage);
        const std::vector<TipLine> lines{{cell_working(t_, at->rank, at->stage, at->row, at->col), "", 0}};
        tip_card(p_, bounds_, ImGui::GetIO().MousePos,
                 fmt::format("{} = {}", says(at->stage), cell_number(part.values.at(at->row, at->col), 3)),
                 lines, part.partial ? "A partial sum: other ranks have the rest" : "");
    }

    const Painter& p_;
    const ChainMoment& m_;
    const TensorAlgebra& t_;
    std::optional<HeldCell>& held_;
    Rect bounds_, head_, area_;
    std::array<float, kSlots> x_{};
    std::int64_t ranks_ = 2;
    bool trap_ = false;
    float names_ = 0, cell_w_ = 1, cell_h_ = 1, pitch_ = 1;
    int digits_ = 2;   // of figures in cells; -1: none
    float shrunk_ = 1; // their type
};

} // namespace

std::size_t ChainMoment::done() const
{
    return std::min(static_cast<std::size_t>(t + 1e-9), algebra.stages().size());
}

float ChainMoment::part() const
{
    return static_cast<float>(std::max(0.0, t - static_cast<double>(done())));
}

TensorStage ChainMoment::next() const
{
    return algebra.stages()[std::min(done(), algebra.stages().size() - 1)];
}

std::optional<Matrix> draw_chain(const Painter& painter, Rect area, const ChainMoment& moment,
                                 std::optional<HeldCell>& held)
{
    return Chain(painter, area, moment, held).draw();
}

} // namespace ringside
