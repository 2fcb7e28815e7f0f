#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/views/training/batch/pictures.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// `count` things drawn as at most `most` equal places; the last may stand for fewer.
struct Places
{
    std::int64_t count = 1;
    std::int64_t each = 1;
    std::int64_t shown = 1;

    // Even places where a divisor is near.
    Places(std::int64_t all, std::int64_t most) : count(all), each((all + most - 1) / most)
    {
        for (std::int64_t even = each; even <= 2 * each && even <= all; ++even)
        {
            if (all % even == 0)
            {
                each = even;
                break;
            }
        }
        shown = (all + each - 1) / each;
    }
    std::int64_t first(std::int64_t place) const { return place * each; }
    std::int64_t size(std::int64_t place) const { return std::min(each, count - first(place)); }
};

std::string places_words(const Places& places, std::int64_t place, std::string_view name, std::int64_t from)
{
    const std::int64_t first = places.first(place) + from;
    const std::int64_t last = first + places.size(place) - 1;
    return first == last ? fmt::format("{} {}", name, grouped(first))
                         : fmt::format("{}s {} to {}", name, grouped(first), grouped(last));
}

class Grid
{
public:
    Grid(const Painter& painter, Rect area, const Scenario& scenario, const BatchMoment& moment)
        : p_(painter), area_(area), whole_(area), moment_(moment), split_(batch_split(scenario)),
          line_(p_.height(Type::small)), columns_(split_.of(BatchPart::replicas), 1),
          rows_(split_.of(BatchPart::accumulation), 1)
    {
        labels_ = p_.width(Type::small, "gradient sum") + p_.px(16);
        head_ = area_.cut_top(line_ + p_.px(8));
        names_ = area_.cut_top(line_ + p_.px(4));
        names_.cut_left(labels_);
        drawable_ = area_.h > 2 * line_ && area_.w > labels_ + p_.px(60);
        // The cells come first, what is summed below them where there is room.
        while (sums_ > 0 && area_.h <= static_cast<float>(sums_) * foot_row() + 2 * line_)
        {
            --sums_;
        }
        foot_ = area_.cut_bottom(static_cast<float>(sums_) * foot_row());
        area_.cut_bottom(sums_ > 0 ? p_.px(8) : 0);
        field_ = area_;
        field_.cut_left(labels_);
        columns_ = Places(split_.of(BatchPart::replicas), most(field_.w, 20, 64));
        rows_ = Places(split_.of(BatchPart::accumulation), most(field_.h, 9, 48));
        pitch_x_ = std::min(field_.w / static_cast<float>(columns_.shown), p_.px(480));
        pitch_y_ = std::min(field_.h / static_cast<float>(rows_.shown), p_.px(160));
        // What is below stands close, also under few rows.
        const float low = field_.h - pitch_y_ * static_cast<float>(rows_.shown);
        foot_.y -= low;
        field_.h -= low;
        field_.w = pitch_x_ * static_cast<float>(columns_.shown);
    }

    void draw()
    {
        if (!drawable_)
        {
            return;
        }
        p_.part("grid", whole_);
        draw_head();
        for (std::int64_t column = 0; column < columns_.shown; ++column)
        {
            draw_name(column);
        }
        for (std::int64_t row = 0; row < rows_.shown; ++row)
        {
            draw_row(row);
        }
        draw_sums();
    }

private:
    float foot_row() const { return line_ + p_.px(14); }

    std::int64_t most(float room, float least, std::int64_t limit) const
    {
        return std::clamp(static_cast<std::int64_t>(room / p_.px(least)), std::int64_t{1}, limit);
    }

    void draw_head() const
    {
        const std::int64_t mb = split_.of(BatchPart::micro);
        const bool together = columns_.each * rows_.each > 1;
        const std::string cell = together
                                     ? fmt::format("one cell: {} \u00d7 {} micro-batches of {}",
                                                   grouped(columns_.each), grouped(rows_.each), grouped(mb))
                                     : "one cell: a micro-batch of " + counted(mb, "sequence");
        draw_chart_title(p_, head_,
                         fmt::format("{} across, {} down", counted(columns_.count, "replica"),
                                     counted(rows_.count, "accumulation step")),
                         cell);
    }

    // A replica's number where there is room for it; of several their first.
    void draw_name(std::int64_t column) const
    {
        const std::string number = grouped(columns_.first(column));
        const float room =
            std::max(pitch_x_, p_.width(Type::mono_small, grouped(columns_.count)) + p_.px(10));
        const auto every = static_cast<std::int64_t>(std::ceil(room / pitch_x_));
        const std::string words = p_.width(Type::small, "replica 000") < pitch_x_ && columns_.each == 1
                                      ? "replica " + number
                                      : number;
        if (column % every == 0)
        {
            p_.text(field_.x + pitch_x_ * (static_cast<float>(column) + 0.5F), names_.middle(), Type::small,
                    p_.theme.muted, words, Align::centre);
        }
    }

    void draw_row(std::int64_t row)
    {
        const Rect r{field_.x, field_.y + pitch_y_ * static_cast<float>(row), field_.w, pitch_y_};
        const auto every = static_cast<std::int64_t>(std::ceil((line_ + p_.px(2)) / pitch_y_));
        if (row % every == 0)
        {
            p_.text(field_.x - p_.px(10), r.middle(), Type::small, p_.theme.muted,
                    fmt::format("accum {}", grouped(rows_.first(row) + 1)), Align::right);
        }
        const auto first = static_cast<double>(rows_.first(row));
        const auto size = static_cast<double>(rows_.size(row));
        const double done = std::clamp((moment_.rounds - first) / size, 0.0, 1.0);
        for (std::int64_t column = 0; column < columns_.shown; ++column)
        {
            const float gap = std::min(p_.px(4), pitch_x_ * 0.2F);
            const float under = std::min(p_.px(4), pitch_y_ * 0.2F);
            const Rect cell{r.x + pitch_x_ * static_cast<float>(column), r.y, pitch_x_ - gap, r.h - under};
            draw_cell(cell, done);
            if (p_.points_at(cell))
            {
                say_cell(cell, column, row);
            }
        }
    }

    // Forward a third of a round, backward two; then its gradient is in the sum, and its activations are
    // gone.
    void draw_cell(Rect cell, double done) const
    {
        const Theme& t = p_.theme;
        const bool at_work = done > 0 && done < 1;
        if (done < 1)
        {
            p_.fill(cell, t.control, p_.px(3));
        }
        const Colour after = dim(t, t.of(Component::gradients).fill, 0.45F);
        if (done >= 1 || (at_work && rows_.each > 1))
        {
            p_.fill({cell.x, cell.y, cell.w * static_cast<float>(done), cell.h}, after, p_.px(3));
        }
        else if (at_work)
        {
            const double forward = std::min(1.0, done * 3);
            const double backward = std::max(0.0, (done * 3 - 1) / 2);
            p_.fill({cell.x, cell.y, cell.w * static_cast<float>(forward), cell.h}, t.forward.fill, p_.px(3));
            const float w = cell.w * static_cast<float>(backward);
            p_.fill({cell.right() - w, cell.y, w, cell.h}, t.backward_input.fill, p_.px(3));
        }
        draw_sequences(cell);
        p_.outline(cell, at_work ? t.text : t.line, at_work ? p_.px(2) : 1, p_.px(3));
    }

    // The sequences of a micro-batch, one below the other, while they can be told apart.
    void draw_sequences(Rect cell) const
    {
        const std::int64_t mb = split_.of(BatchPart::micro);
        const float pitch = cell.h / static_cast<float>(std::max<std::int64_t>(1, mb));
        if (columns_.each * rows_.each > 1 || pitch < p_.px(4))
        {
            return;
        }
        for (std::int64_t i = 1; i < mb; ++i)
        {
            const float y = std::round(cell.y + pitch * static_cast<float>(i));
            p_.line(cell.x, y, cell.right(), y, p_.theme.window, p_.px(1));
        }
    }

    void say_cell(Rect cell, std::int64_t column, std::int64_t row) const
    {
        p_.outline(cell, p_.theme.text, p_.px(2), p_.px(3));
        const std::int64_t micro = columns_.size(column) * rows_.size(row);
        tooltip_at_mouse(p_, fmt::format("{}, {}\n{} of {} = {} sequences",
                                         places_words(columns_, column, "replica", 0),
                                         places_words(rows_, row, "accumulation step", 1),
                                         counted(micro, "micro-batch"), grouped(split_.of(BatchPart::micro)),
                                         grouped(micro * split_.of(BatchPart::micro))));
    }

    // Under each replica the sum of its gradients, then the sum over replicas, then the weights.
    void draw_sums()
    {
        if (sums_ == 0)
        {
            return;
        }
        const Theme& t = p_.theme;
        Rect sums = foot_.cut_top(foot_row());
        const double done = moment_.rounds / static_cast<double>(rows_.count);
        draw_bars(sums, "gradient sum", t.of(Component::gradients), done);
        p_.part("gradients", sums);
        if (moment_.summed > 0)
        {
            const float w = field_.w * static_cast<float>(moment_.summed);
            p_.fill({field_.x, sums.bottom() - p_.px(6), w, p_.px(4)}, t.data.fill, p_.px(2));
        }
        if (sums_ == 2)
        {
            draw_bars(foot_, "weights", t.of(Component::weights), moment_.updated);
            p_.part("weights", foot_);
        }
    }

    void draw_bars(Rect r, std::string_view name, const Ink& ink, double done)
    {
        p_.text(field_.x - p_.px(10), r.y + (line_ + p_.px(2)) / 2, Type::small, p_.theme.muted, name,
                Align::right);
        for (std::int64_t column = 0; column < columns_.shown; ++column)
        {
            const float gap = std::min(p_.px(4), pitch_x_ * 0.2F);
            const Rect bar{field_.x + pitch_x_ * static_cast<float>(column), r.y, pitch_x_ - gap,
                           line_ + p_.px(2)};
            p_.fill(bar, p_.theme.control, p_.px(3));
            p_.fill({bar.x, bar.y, bar.w * static_cast<float>(std::clamp(done, 0.0, 1.0)), bar.h}, ink.fill,
                    p_.px(3));
            p_.outline(bar, ink.edge != 0 ? ink.edge : p_.theme.line, 1, p_.px(3));
        }
    }

    const Painter& p_;
    Rect area_;
    Rect whole_;
    const BatchMoment& moment_;
    BatchSplit split_;
    float line_;
    Places columns_;
    Places rows_;
    bool drawable_ = true;
    int sums_ = 2; // rows below the cells
    float labels_ = 0;
    Rect head_, names_, field_, foot_;
    float pitch_x_ = 1;
    float pitch_y_ = 1;
};

} // namespace

BatchMoment batch_moment(std::int64_t accumulation, double t)
{
    BatchMoment m;
    m.of = accumulation;
    const auto rounds = static_cast<double>(accumulation);
    m.tail = std::max(1.0, rounds / 8);
    m.rounds = std::clamp(t, 0.0, rounds);
    m.summed = std::clamp((t - rounds) / m.tail, 0.0, 1.0);
    m.updated = std::clamp((t - rounds - m.tail) / m.tail, 0.0, 1.0);
    return m;
}

void draw_batch_grid(const Painter& painter, Rect area, const Scenario& scenario, const BatchMoment& moment)
{
    if (area.h < painter.height(Type::small) + painter.px(8))
    {
        return;
    }
    Grid(painter, area, scenario, moment).draw();
}

} // namespace ringside
