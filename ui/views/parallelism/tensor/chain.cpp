// The matrices of every rank in a chain. One file, since every part of it needs the places of the others.
#include <fmt/format.h>

#include "core/memory/memory.h"
#include "ui/views/parallelism/tensor/pictures.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

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

// The stage at work, or the last that is done.
TensorStage stage_on_show(const ChainMoment& m)
{
    return m.part() > 0 || m.done() == 0 ? m.next() : m.algebra.stages()[m.done() - 1];
}

// Only what this stage of the chain multiplies and makes, so that its figures are large.
std::pair<std::size_t, std::size_t> slots_of(TensorStage stage, bool trap)
{
    const auto range = [](Slot from, Slot to) {
        return std::pair{static_cast<std::size_t>(from), static_cast<std::size_t>(to)};
    };
    switch (stage)
    {
    case TensorStage::activation:
        return trap ? range(Slot::h, Slot::b) : range(Slot::h, Slot::y); // in the trap B is the answer
    case TensorStage::slope:
        return range(Slot::h, Slot::y);
    case TensorStage::reduce:
        return trap ? range(Slot::h, Slot::b) : range(Slot::y, Slot::z);
    case TensorStage::second:
    case TensorStage::loss:
    case TensorStage::loss_gather:
    case TensorStage::second_back:
        return range(Slot::y, Slot::z);
    default:
        return range(Slot::x, Slot::h);
    }
}

class Chain
{
public:
    Chain(const Painter& painter, Rect area, const ChainMoment& moment, std::optional<HeldCell>& held)
        : p_(painter), m_(moment), t_(moment.algebra), held_(held), bounds_(area)
    {
        ranks_ = t_.options().ranks;
        trap_ = t_.options().cut == TensorCut::row_first;
        std::tie(first_, last_) = slots_of(stage_on_show(moment), trap_);
        head_ = area.cut_top(p_.px(24));
        foot_ = area.cut_bottom(area.h > p_.px(240) ? p_.px(36) : 0);
        names_ = p_.width(Type::small, "rank 0") + p_.px(12);
        area.cut_left(names_);
        const float rows = static_cast<float>(ranks_) * (kSide + 0.6F) - 0.6F;
        cell_h_ = std::floor(std::clamp(area.h / rows, 3.0F, p_.px(96)));
        pitch_ = cell_h_ * (kSide + 0.6F);
        area_ = area;
        place_slots(area, std::min(p_.px(40), area.w * 0.04F));
        if (!place_large_figures() && !place_figures(1))
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
            for (std::size_t s = first_; s <= last_ && s < (trap_ ? 4 : kSlots); ++s)
            {
                draw_slot(rank, static_cast<Slot>(s));
            }
        }
        if (trap_ && on_show(Slot::b))
        {
            draw_answer();
        }
        open_cell();
        const auto request = on_show(Slot::x) ? drag_input() : std::nullopt;
        draw_tip();
        return request;
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
    bool on_show(Slot slot) const
    {
        const auto s = static_cast<std::size_t>(slot);
        return s >= first_ && s <= last_;
    }
    // The largest type in which two places fit.
    bool place_large_figures()
    {
        for (const Type type : {Type::mono_title, Type::mono})
        {
            if (cell_h_ >= p_.height(type) && cell_w_ - p_.px(6) >= p_.width(type, "\u22120.00"))
            {
                figures_ = type;
                digits_ = 2;
                return true;
            }
        }
        return false;
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
        for (std::size_t s = first_; s <= last_; ++s)
        {
            cols += cols_of(static_cast<Slot>(s));
        }
        const float gaps = gap * static_cast<float>(last_ - first_);
        cell_w_ = std::floor(std::min((area.w - gaps) / static_cast<float>(cols), p_.px(100)));
        float x = area.x;
        for (std::size_t s = first_; s <= last_; ++s)
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
        for (std::size_t s = first_; s < last_; ++s)
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
        for (std::size_t s = first_; s <= last_ && s < (trap_ ? 4 : kSlots) && (!brief || fit(kBrief)); ++s)
        {
            const auto slot = static_cast<Slot>(s);
            const auto shown = at_work(slot) ? std::optional<TensorStage>(m_.next()) : latest(slot);
            const Names& names = brief ? kBrief : shown && is_gradient(*shown) ? kBackward : kForward;
            const float w = cell_w_ * static_cast<float>(cols_of(slot));
            p_.text(x_.at(s) + w / 2, head_.middle(), Type::small_strong, p_.theme.text, names.at(s),
                    Align::centre);
        }
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
            const Ink& ink = p_.theme.of(kind);
            p_.fill(box, ink.fill);
            if (part.partial)
            {
                p_.hatch(box, with_alpha(ink.label, 0.22F), kIdleHatch);
            }
            if (digits_ >= 0)
            {
                p_.text_shrunk(box.centre(), box.middle(), figures_, shrunk_, ink.label,
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
    // A cell that was multiplied, with the row and the column it is the sum of, and that sum below.
    void open_cell() const
    {
        const auto at = opened();
        if (!at || foot_.h <= 0)
        {
            return;
        }
        const RankPart& part = t_.part(at->rank, at->stage);
        const auto mark = [&](Slot slot, const RankPart& of, std::optional<std::int64_t> row,
                              std::optional<std::int64_t> col)
        {
            const Rect first = cell(slot_x(slot), top(at->rank, slot, of), row.value_or(0), col.value_or(0));
            const auto cells = [](bool one, std::int64_t all)
            { return one ? 1.0F : static_cast<float>(all); };
            p_.outline({first.x, first.y, cell_w_ * cells(col.has_value(), of.values.cols) - 1,
                        cell_h_ * cells(row.has_value(), of.values.rows) - 1},
                       p_.theme.text, p_.px(3));
        };
        mark(slot_of(at->stage), part, at->row, at->col);
        if (at->stage == TensorStage::first && !trap_)
        {
            mark(Slot::x, {t_.options().x}, at->row, std::nullopt);
            mark(Slot::a, t_.first_weights(at->rank), std::nullopt, at->col);
        }
        else if (at->stage == TensorStage::second)
        {
            mark(Slot::y, t_.part(at->rank, TensorStage::activation), at->row, std::nullopt);
            mark(Slot::b, t_.second_weights(at->rank), std::nullopt, at->col);
        }
        p_.text_within(bounds_.x, foot_.middle() + p_.px(4), bounds_.w, Type::mono, p_.theme.text,
                       fmt::format("rank {}, row {}, column {}: {} = {}", at->rank, at->row + 1, at->col + 1,
                                   cell_working(t_, at->rank, at->stage, at->row, at->col),
                                   cell_number(part.values.at(at->row, at->col), 2)));
    }

    // The one under the mouse, else the newest while cells are made, else the first.
    std::optional<Pointed> opened() const
    {
        if (const auto at = pointed())
        {
            return at;
        }
        const TensorStage stage = stage_on_show(m_);
        const bool making = m_.part() > 0;
        if ((making && communicates(stage)) || m_.t <= 0 || stage == TensorStage::input ||
            stage == TensorStage::gather || stage == TensorStage::loss || stage == TensorStage::loss_gather ||
            (trap_ && stage == TensorStage::reduce))
        {
            return std::nullopt;
        }
        const Matrix& made = t_.part(0, stage).values;
        const auto shown =
            static_cast<std::int64_t>(std::ceil(m_.part() * static_cast<float>(made.rows * made.cols)));
        const std::int64_t last = making ? std::max<std::int64_t>(0, shown - 1) : 0;
        return Pointed{0, stage, last / made.cols, last % made.cols};
    }
    std::optional<Pointed> pointed() const
    {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        for (std::int64_t rank = 0; rank < ranks_; ++rank)
        {
            for (const Slot slot : {Slot::x, Slot::h, Slot::y, Slot::z})
            {
                const auto stage = trap_ && slot == Slot::z ? std::nullopt : latest(slot);
                if (!stage || !on_show(slot))
                {
                    continue;
                }
                const RankPart& part = t_.part(rank, *stage);
                const Rect box{slot_x(slot), top(rank, slot, part),
                               cell_w_ * static_cast<float>(part.values.cols),
                               cell_h_ * static_cast<float>(part.values.rows)};
                if (p_.points_in(box))
                {
                    return Pointed{rank, *stage, static_cast<std::int64_t>((mouse.y - box.y) / cell_h_),
                                   static_cast<std::int64_t>((mouse.x - box.x) / cell_w_)};
                }
            }
        }
        return std::nullopt;
    }

    // Every cell that is multiplied is a mark.
    void list_cells() const
    {
        for (std::int64_t rank = 0; rank < ranks_; ++rank)
        {
            for (const Slot slot : {Slot::x, Slot::h, Slot::y, Slot::z})
            {
                const auto stage = trap_ && slot == Slot::z ? std::nullopt : latest(slot);
                if (!stage || !on_show(slot))
                {
                    continue;
                }
                const Matrix& values = t_.part(rank, *stage).values;
                const float y = top(rank, slot, t_.part(rank, *stage));
                for (std::int64_t i = 0; i < values.rows * values.cols; ++i)
                {
                    p_.mark(cell(slot_x(slot), y, i / values.cols, i % values.cols));
                }
            }
        }
    }

    void draw_tip() const
    {
        list_cells();
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
    Rect bounds_, head_, foot_, area_;
    std::array<float, kSlots> x_{};
    std::size_t first_ = 0; // slots on show
    std::size_t last_ = 0;
    std::int64_t ranks_ = 2;
    bool trap_ = false;
    float names_ = 0, cell_w_ = 1, cell_h_ = 1, pitch_ = 1;
    int digits_ = 2; // of figures in cells; -1: none
    Type figures_ = Type::mono_small;
    float shrunk_ = 1; // of their type
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
