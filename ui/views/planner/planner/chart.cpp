#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/planner/planner/parts.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

double height_of(const Candidate& c, Objective objective)
{
    return objective == Objective::cost ? c.gpu_seconds() : c.pace();
}

double quantile(std::vector<double> values, double share)
{
    if (values.empty())
    {
        return 0;
    }
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

class PlannerChart
{
public:
    PlannerChart(const Painter& painter, const PlannerChartFrame& frame)
        : p_(painter), frame_(frame), objective_(frame.answer.limits.objective)
    {
        find_frontier();
        choose_ranges();
    }

    PlannerChartEvent draw(Rect area);

private:
    PlotPoint place(const Candidate& c) const
    {
        return {in_gigabytes(Bytes(c.bytes), p_.look.unit), height_of(c, objective_) / unit_.seconds};
    }
    bool fits(const Candidate& c) const { return c.bytes <= frame_.answer.result.capacity; }
    bool inside(const Candidate& c) const
    {
        const double h = height_of(c, objective_);
        return c.bytes <= most_bytes_ && h <= most_ && h >= least_;
    }
    void find_frontier();
    void choose_ranges();
    std::string title() const;
    std::string beyond() const;
    void draw_limit(Plot& plot) const;
    void draw_points(Plot& plot) const;
    void draw_frontier(Plot& plot) const;
    void draw_marked(Plot& plot) const;

    const Painter& p_;
    const PlannerChartFrame& frame_;
    const Objective objective_;
    double most_bytes_ = 1;
    double least_ = 0; // of what is ranked by, at the bottom
    double most_ = 1;
    TimeUnit unit_;                          // of the axis
    std::vector<const Candidate*> frontier_; // by memory
};

// Seconds have one from the search; costs are put together from what it kept.
void PlannerChart::find_frontier()
{
    const SearchResult& r = frame_.answer.result;
    std::vector<const Candidate*> all;
    for (const std::vector<Candidate>* list : {&r.frontier, &r.best, &r.cuts, &r.sample})
    {
        for (const Candidate& c : *list)
        {
            all.push_back(&c);
        }
        if (objective_ != Objective::cost)
        {
            break;
        }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate* a, const Candidate* b) { return a->bytes < b->bytes; });
    for (const Candidate* c : all)
    {
        if (frontier_.empty() || height_of(*c, objective_) < height_of(*frontier_.back(), objective_))
        {
            frontier_.push_back(c);
        }
    }
}

// To twice what there is and a few times the best: what lies farther off is counted, not drawn.
void PlannerChart::choose_ranges()
{
    const SearchResult& r = frame_.answer.result;
    std::vector<double> bytes;
    std::vector<double> heights;
    for (const Candidate& c : r.sample)
    {
        bytes.push_back(c.bytes);
    }
    const double widest = quantile(bytes, 0.97) * 1.1;
    const double least = r.nearest_miss && r.best.empty() ? r.nearest_miss->bytes * 2 : 0;
    most_bytes_ = std::max({1.0, least, std::min(2 * r.capacity, std::max(widest, frame_.now.bytes * 1.1))});
    if (widest > 0.4 * r.capacity)
    {
        most_bytes_ = std::max(most_bytes_, 1.15 * r.capacity);
    }
    double best = 0;
    double low = 1e300;
    for (const Candidate* c : frontier_)
    {
        const double h = height_of(*c, objective_);
        low = c->bytes <= most_bytes_ ? std::min(low, h) : low;
        best = fits(*c) || best == 0 ? h : best;
    }
    for (const Candidate& c : r.sample)
    {
        if (c.bytes <= most_bytes_)
        {
            heights.push_back(height_of(c, objective_));
        }
    }
    if (best <= 0 || low > 1e299)
    {
        return;
    }
    const bool few = r.legal < 200;
    double high = std::clamp(quantile(heights, few ? 1 : 0.8), best * 1.6, best * (few ? 5 : 3));
    const double now = height_of(frame_.now, objective_);
    high = now < best * 4 && frame_.now.bytes <= most_bytes_ ? std::max(high, now) : high;
    least_ = std::max(0.0, low - (high - low) * 0.22); // room for words
    most_ = high + (high - low) * 0.06;
    unit_ = objective_ == Objective::cost ? TimeUnit{} : time_unit_of(Seconds(most_));
}

std::string PlannerChart::title() const
{
    const SearchResult& r = frame_.answer.result;
    const auto shown = static_cast<std::int64_t>(r.sample.size());
    const bool work = frame_.answer.limits.freed.work();
    return fmt::format("{} vs memory, {}",
                       objective_ == Objective::cost ? (work ? "Cost per million tokens" : "Cost per step")
                       : work                        ? "Time per million tokens"
                                                     : "Step time",
                       r.legal > shown
                           ? fmt::format("{} of {} legal layouts", grouped(shown), grouped(r.legal))
                           : "every legal layout");
}

std::string PlannerChart::beyond() const
{
    const auto& sample = frame_.answer.result.sample;
    const auto count = std::ranges::count_if(sample, [&](const Candidate& c) { return !inside(c); });
    const double share =
        static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(1, sample.size()));
    return count == 0
               ? std::string()
               : fmt::format("{:.0f}% lie outside the chart", std::clamp(std::round(100 * share), 1.0, 99.0));
}

void PlannerChart::draw_limit(Plot& plot) const
{
    const Bytes capacity(frame_.answer.result.capacity);
    const double there = in_gigabytes(capacity, p_.look.unit);
    const std::string room = fmt::format("{} {}", plain_number(there), p_.look.gigabyte());
    if (capacity.value > most_bytes_)
    {
        plot.label({plot.x.high, plot.y.high}, fmt::format("capacity {} \u2192", room));
        return;
    }
    plot.limit_x(there, fmt::format("capacity {}", room));
}

// Many points are small and let others shine through.
void PlannerChart::draw_points(Plot& plot) const
{
    const Theme& t = p_.theme;
    const auto& sample = frame_.answer.result.sample;
    const bool many = std::ranges::count_if(sample, [&](const Candidate& c) { return inside(c); }) > 400;
    const float radius = many ? 3.0F : 4.5F;
    const float alpha = many ? 0.62F : 0.9F;
    for (const bool fit : {false, true})
    {
        for (const Candidate& c : sample)
        {
            if (inside(c) && fits(c) == fit)
            {
                plot.speck(place(c), {with_alpha(fit ? t.muted : t.warning, alpha), radius,
                                      fit ? PlotShape::disc : PlotShape::cross});
            }
        }
    }
}

void PlannerChart::draw_frontier(Plot& plot) const
{
    const Theme& t = p_.theme;
    std::vector<PlotPoint> fit;
    std::vector<PlotPoint> over;
    for (const Candidate* c : frontier_)
    {
        if (inside(*c))
        {
            (fits(*c) ? fit : over).push_back(place(*c));
        }
    }
    if (!fit.empty() && !over.empty())
    {
        over.insert(over.begin(), fit.back());
    }
    const auto joined = [](const std::vector<PlotPoint>& corners)
    {
        auto line = stairs(corners);
        line.resize(line.empty() ? 0 : line.size() - 1);
        return line;
    };
    plot.line(joined(over), {with_alpha(t.warning, 0.8F), 1});
    plot.line(joined(fit), {t.text, 2}, "Pareto frontier");
    for (const Candidate* c : frontier_)
    {
        if (inside(*c))
        {
            plot.speck(place(*c), {fits(*c) ? t.text : t.warning, fits(*c) ? 5.0F : 4.5F,
                                   fits(*c) ? PlotShape::disc : PlotShape::cross});
        }
    }
}

// The best, the scenario's own and A; at the edge what lies beyond it.
void PlannerChart::draw_marked(Plot& plot) const
{
    const auto& best = frame_.answer.result.best;
    if (!best.empty() && inside(best.front()))
    {
        plot.dot(place(best.front()), {p_.theme.text, 8, PlotShape::disc, true});
        plot.label(place(best.front()), "1", true, 16);
    }
    for (const auto& [c, word] :
         {std::pair{&frame_.now, frame_.now_word}, std::pair{frame_.before, std::string_view("A")}})
    {
        if (c != nullptr)
        {
            plot.dot(place(*c), {fits(*c) ? p_.theme.text : p_.theme.warning, 4,
                                 fits(*c) ? PlotShape::disc : PlotShape::cross, true});
            plot.label(place(*c), inside(*c) ? std::string(word) : fmt::format("{}, beyond", word), true, 12);
        }
    }
}

PlannerChartEvent PlannerChart::draw(Rect area)
{
    const bool cost = objective_ == Objective::cost;
    const std::string says = beyond();
    const auto number = [](double v) { return v < 1e6 ? fmt::format("{:g}", v) : plain_number(v); };
    Plot plot(p_, area,
              {0, in_gigabytes(Bytes(most_bytes_), p_.look.unit), PlotScale::linear,
               fmt::format("{} on the peak-memory GPU", p_.look.gigabyte()), number},
              {least_ / unit_.seconds, most_ / unit_.seconds, PlotScale::linear, cost ? "GPU-seconds" : "",
               [&](double v) { return cost ? number(v) : fmt::format("{} {}", number(v), unit_.name); }},
              {.title = title(), .note = says});
    PlannerChartEvent event;
    if (!plot)
    {
        return event;
    }
    draw_limit(plot);
    draw_points(plot);
    draw_frontier(plot);
    draw_marked(plot);
    std::vector<const Candidate*> all;
    std::vector<PlotPoint> places;
    const SearchResult& r = frame_.answer.result;
    for (const std::vector<Candidate>* list : {&r.cuts, &r.frontier, &r.sample})
    {
        for (const Candidate& c : *list)
        {
            all.push_back(&c);
            places.push_back(place(c));
        }
    }
    const PlotPick pick = frame_.live ? plot.pick(places, "###scatter") : PlotPick();
    if (pick.at)
    {
        event.hovered = *all[*pick.at];
        event.clicked = pick.clicked;
    }
    else if (frame_.lit && inside(*frame_.lit))
    {
        plot.speck(place(*frame_.lit), {p_.theme.text, 10, PlotShape::ring});
    }
    return event;
}

} // namespace

PlannerChartEvent draw_planner_chart(const Painter& painter, Rect area, const PlannerChartFrame& frame)
{
    return PlannerChart(painter, frame).draw(area);
}

} // namespace ringside
