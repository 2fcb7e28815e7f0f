#include "ui/views/planner/chart.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kTitle = 28;
constexpr float kUnder = 44; // figures and words below the axis

double height_of(const Candidate& c, Objective objective)
{
    return objective == Objective::cost ? c.gpu_seconds() : c.seconds;
}

// The nearest of 1, 2, 5 times a power of ten that gives about so many steps.
double step_of(double span, float steps)
{
    const double rough = std::max(span, 1e-12) / std::max(1.0, static_cast<double>(steps));
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double ratio = rough / power;
    return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7 ? 5 : 10);
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

class Chart
{
public:
    Chart(const Painter& painter, Rect area, const PlannerChartFrame& frame);

    PlannerChartEvent draw();

private:
    struct Point
    {
        const Candidate* candidate;
        ImVec2 at;
        bool fits;
    };

    void choose_ranges();
    void name_heights(float room);
    float x(double bytes) const { return plot_.x + plot_.w * static_cast<float>(bytes / most_bytes_); }
    float y(double height) const
    {
        return plot_.bottom() - plot_.h * static_cast<float>((height - least_) / (most_ - least_));
    }
    ImVec2 at(const Candidate& c) const { return {x(c.bytes), y(height_of(c, objective_))}; }
    bool inside(const Candidate& c) const
    {
        const double h = height_of(c, objective_);
        return c.bytes <= most_bytes_ && h <= most_ && h >= least_;
    }
    bool fits(const Candidate& c) const { return c.bytes <= frame_.answer.result.capacity; }
    void find_frontier();
    void draw_title();
    void draw_axes();
    void draw_limit();
    void draw_limit_words() const;
    void draw_cross(ImVec2 at, float radius, Colour colour) const;
    void draw_points();
    void draw_frontier();
    void draw_frontier_words();
    void draw_best();
    void draw_marked(const Candidate& c, std::string_view word);
    bool free(Rect r) const;
    const Candidate* nearest(ImVec2 mouse) const;

    const Painter& p_;
    const PlannerChartFrame& frame_;
    const Objective objective_;
    Rect title_;
    Rect plot_;
    Rect under_;
    double most_bytes_ = 1;
    double least_ = 0;
    double most_ = 1;
    std::vector<std::pair<double, std::string>> heights_; // the rules across, and their words
    std::vector<const Candidate*> frontier_;              // that fit, then those that do not
    std::pair<Rect, std::string> limit_;                  // its words, drawn on top of the points
    std::vector<Rect> taken_;                             // by words
};

Chart::Chart(const Painter& painter, Rect area, const PlannerChartFrame& frame)
    : p_(painter), frame_(frame), objective_(frame.answer.limits.objective)
{
    title_ = area.cut_top(painter.px(kTitle));
    area.cut_top(painter.px(4));
    under_ = area.cut_bottom(painter.px(kUnder));
    find_frontier();
    choose_ranges();
    name_heights(area.h);
    float widest = 0;
    for (const auto& [height, words] : heights_)
    {
        widest = std::max(widest, painter.width(Type::mono_small, words));
    }
    area.cut_left(std::max(painter.px(56), widest + painter.px(14)));
    plot_ = area;
}

void Chart::name_heights(float room)
{
    const bool cost = objective_ == Objective::cost;
    const TimeUnit unit = cost ? TimeUnit{} : time_unit_of(Seconds(most_));
    const double step = step_of((most_ - least_) / unit.seconds, room / p_.px(56));
    for (double i = std::ceil(least_ / unit.seconds / step - 1e-9); i * step * unit.seconds <= most_; ++i)
    {
        const double value = i * step + 0.0; // never -0
        const std::string words = value < 1e6 ? fmt::format("{:g}", value) : plain_number(value);
        heights_.emplace_back(value * unit.seconds, cost ? words : fmt::format("{} {}", words, unit.name));
    }
}

// Seconds have one from the search; costs are put together from what it kept.
void Chart::find_frontier()
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
void Chart::choose_ranges()
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
}

bool Chart::free(Rect r) const
{
    return r.x >= plot_.x && r.right() <= plot_.right() &&
           std::none_of(taken_.begin(), taken_.end(),
                        [&](const Rect& o) {
                            return r.x < o.right() && o.x < r.right() && r.y < o.bottom() && o.y < r.bottom();
                        });
}

void Chart::draw_title()
{
    const SearchResult& r = frame_.answer.result;
    const Theme& t = p_.theme;
    const std::string_view what = objective_ == Objective::cost ? "Cost of a step" : "Step time";
    const std::string many =
        r.legal > static_cast<std::int64_t>(r.sample.size())
            ? fmt::format("{} of {} legal layouts", grouped(static_cast<std::int64_t>(r.sample.size())),
                          grouped(r.legal))
            : "every legal layout";
    std::string words = fmt::format("{} against memory, {}", what, many);
    if (p_.width(Type::small_strong, words) > title_.w)
    {
        words = fmt::format("{} against memory", what);
    }
    const float used = p_.text_within(title_.x, title_.middle(), title_.w, Type::small_strong, t.text, words);
    const auto beyond =
        std::count_if(r.sample.begin(), r.sample.end(), [&](const Candidate& c) { return !inside(c); });
    if (beyond == 0)
    {
        return;
    }
    const double share = static_cast<double>(beyond) / static_cast<double>(r.sample.size());
    const std::string rest =
        fmt::format("{:.0f}% lie beyond the picture", std::clamp(std::round(100 * share), 1.0, 99.0));
    if (used + p_.px(24) + p_.width(Type::small, rest) <= title_.w)
    {
        p_.text(title_.right(), title_.middle(), Type::small, t.muted, rest, Align::right);
    }
}

void Chart::draw_axes()
{
    const Theme& t = p_.theme;
    for (const auto& [h, words] : heights_)
    {
        p_.line(plot_.x, y(h), plot_.right(), y(h), t.grid);
        p_.text(plot_.x - p_.px(10), y(h), Type::mono_small, t.muted, words, Align::right);
    }
    const double unit = in_bytes(p_.look.unit);
    const double run = step_of(most_bytes_ / unit, plot_.w / p_.px(100)) * unit;
    const float middle = plot_.bottom() + p_.px(14);
    for (double bytes = 0; bytes <= most_bytes_; bytes += run)
    {
        p_.line(x(bytes), plot_.bottom(), x(bytes), plot_.bottom() + p_.px(4), t.line);
        const std::string words = fmt::format("{:g}", std::round(bytes / run) * run / unit);
        const float half = p_.width(Type::mono_small, words) / 2;
        p_.text(std::min(x(bytes), plot_.right() - half), middle, Type::mono_small, t.muted, words,
                Align::centre);
    }
    p_.line(plot_.x, plot_.bottom(), plot_.right(), plot_.bottom(), t.line);
    const float low = plot_.bottom() + p_.px(33);
    const std::string words = fmt::format("{} on the fullest GPU", p_.look.gigabyte());
    p_.text(plot_.right(), low, Type::small, t.muted, p_.shortened(Type::small, words, plot_.w),
            Align::right);
    if (objective_ == Objective::cost)
    {
        p_.text_within(under_.x, low, plot_.w - p_.width(Type::small, words), Type::small, t.muted,
                       "GPU-seconds of a step, upwards");
    }
}

// What does not fit lies on a tinted ground, right of a line.
void Chart::draw_limit()
{
    const Theme& t = p_.theme;
    const double capacity = frame_.answer.result.capacity;
    const std::string room =
        fmt::format("{} {}", plain_number(in_gigabytes(Bytes(capacity), p_.look.unit)), p_.look.gigabyte());
    const float middle = plot_.y + p_.px(14);
    if (capacity > most_bytes_)
    {
        const std::string words = fmt::format("{} is further right \u2192", room);
        p_.text(plot_.right() - p_.px(4), middle, Type::small, t.muted, words, Align::right);
        const float w = p_.width(Type::small, words);
        taken_.push_back({plot_.right() - w - p_.px(4), middle - p_.px(10), w, p_.px(20)});
        return;
    }
    const float at = x(capacity);
    p_.fill({at, plot_.y, plot_.right() - at, plot_.h}, with_alpha(t.warning, t.light ? 0.07F : 0.10F));
    p_.line(at, plot_.y, at, plot_.bottom(), t.text, p_.px(2));
    const float room_right = plot_.right() - at - p_.px(16);
    const std::string all = fmt::format("{}: does not fit beyond", room);
    const std::string& words = p_.width(Type::small_strong, all) <= room_right ? all : room;
    const float w = p_.width(Type::small_strong, words);
    const float from = w <= room_right ? at + p_.px(12) : at - p_.px(8) - w;
    const Rect box{from - p_.px(4), middle - p_.px(10), w + p_.px(8), p_.px(20)};
    taken_.push_back(box);
    limit_ = {box, words};
}

void Chart::draw_limit_words() const
{
    if (!limit_.second.empty())
    {
        p_.fill(limit_.first, with_alpha(p_.theme.window, 0.8F), p_.px(4));
        p_.text(limit_.first.centre(), limit_.first.middle(), Type::small_strong, p_.theme.text,
                limit_.second, Align::centre);
    }
}

void Chart::draw_cross(ImVec2 at, float u, Colour colour) const
{
    p_.list.AddLine({at.x - u, at.y - u}, {at.x + u, at.y + u}, colour, p_.px(1.5F));
    p_.list.AddLine({at.x - u, at.y + u}, {at.x + u, at.y - u}, colour, p_.px(1.5F));
}

// Many points are small and let others shine through.
void Chart::draw_points()
{
    const Theme& t = p_.theme;
    const auto& sample = frame_.answer.result.sample;
    const auto shown =
        std::count_if(sample.begin(), sample.end(), [&](const Candidate& c) { return inside(c); });
    const bool many = shown > 400;
    const float radius = p_.look.scale * (many ? 3.0F : 4.5F);
    const float alpha = many ? 0.62F : 0.9F;
    for (const bool fit : {false, true})
    {
        for (const Candidate& c : sample)
        {
            if (!inside(c) || fits(c) != fit)
            {
                continue;
            }
            if (fit)
            {
                p_.list.AddCircleFilled(at(c), radius, with_alpha(t.muted, alpha), many ? 10 : 0);
            }
            else
            {
                draw_cross(at(c), radius, with_alpha(t.warning, alpha));
            }
        }
    }
}

void Chart::draw_frontier()
{
    const Theme& t = p_.theme;
    const float u = p_.look.scale;
    for (std::size_t i = 0; i + 1 < frontier_.size(); ++i)
    {
        const ImVec2 from = at(*frontier_[i]);
        const ImVec2 to = at(*frontier_[i + 1]);
        if (!inside(*frontier_[i]) || !inside(*frontier_[i + 1]))
        {
            continue;
        }
        const bool fit = fits(*frontier_[i + 1]);
        const Colour colour = fit ? t.text : with_alpha(t.warning, 0.8F);
        const float thick = fit ? 2 * u : u;
        p_.line(from.x, from.y, to.x, from.y, colour, thick);
        p_.line(to.x, from.y, to.x, to.y, colour, thick);
    }
    float last = -1e9F;
    for (const Candidate* c : frontier_)
    {
        if (!inside(*c))
        {
            continue;
        }
        const ImVec2 place = at(*c);
        if (!fits(*c))
        {
            draw_cross(place, 4.5F * u, t.warning);
        }
        else if (place.x - last > 3 * u || c == frontier_.back())
        {
            p_.list.AddCircleFilled(place, 5 * u, t.text);
            p_.list.AddCircle(place, 5.5F * u, t.window, 0, u);
            last = place.x;
        }
    }
}

void Chart::draw_frontier_words()
{
    const bool any = std::any_of(frontier_.begin(), frontier_.end(),
                                 [&](const Candidate* c) { return inside(*c) && fits(*c); });
    const std::string_view words = objective_ == Objective::cost ? "frontier: less memory costs more"
                                                                 : "frontier: less memory costs time";
    const Rect r{plot_.x + p_.px(8), plot_.bottom() - p_.px(24), p_.width(Type::small, words), p_.px(20)};
    // Nothing lies left of the frontier and below it.
    const bool clear = std::none_of(frontier_.begin(), frontier_.end(),
                                    [&](const Candidate* c)
                                    {
                                        const ImVec2 place = at(*c);
                                        return place.x < r.right() + p_.px(8) && place.y > r.y - p_.px(8);
                                    });
    if (any && clear && free(r))
    {
        p_.text(r.x, r.middle(), Type::small, p_.theme.muted, words);
        taken_.push_back(r);
    }
}

void Chart::draw_best()
{
    const SearchResult& r = frame_.answer.result;
    if (r.best.empty() || !inside(r.best.front()))
    {
        return;
    }
    const Theme& t = p_.theme;
    const float u = p_.look.scale;
    const ImVec2 place = at(r.best.front());
    p_.list.AddCircleFilled(place, 7 * u, t.text);
    p_.list.AddCircle(place, 12 * u, t.text, 0, 3 * u);
    p_.list.AddCircle(place, 14.5F * u, with_alpha(t.window, 0.7F), 0, 2 * u);
    const float w = p_.width(Type::body_strong, "1");
    Rect box{place.x + 18 * u, place.y + 2 * u, w, p_.height(Type::body_strong)};
    box.y = std::min(box.y, plot_.bottom() - box.h);
    if (box.right() + 4 * u > x(r.capacity))
    {
        box.x = place.x - 18 * u - w;
    }
    if (free(box))
    {
        p_.fill({box.x - 3 * u, box.y, box.w + 6 * u, box.h}, with_alpha(t.window, 0.7F), 4 * u);
        p_.text(box.x, box.middle(), Type::body_strong, t.text, "1");
        taken_.push_back(box);
    }
}

// A ring with a word; at the edge, with an arrow, where it lies beyond.
void Chart::draw_marked(const Candidate& c, std::string_view word)
{
    const Theme& t = p_.theme;
    const float u = p_.look.scale;
    const bool seen = inside(c);
    ImVec2 place = at(c);
    place.x = std::clamp(place.x, plot_.x, plot_.right() - 8 * u);
    place.y = std::clamp(place.y, plot_.y + 8 * u, plot_.bottom() - 8 * u);
    if (seen)
    {
        p_.list.AddCircle(place, 8 * u, t.window, 0, 5 * u);
        p_.list.AddCircle(place, 8 * u, t.text, 0, 2 * u);
        fits(c) ? p_.list.AddCircleFilled(place, 3 * u, t.text) : draw_cross(place, 4 * u, t.warning);
    }
    else
    {
        const bool up = height_of(c, objective_) > most_;
        const ImVec2 d = up ? ImVec2{0, -1} : ImVec2{1, 0};
        p_.list.AddTriangleFilled({place.x + d.x * 6 * u, place.y + d.y * 6 * u},
                                  {place.x - d.y * 5 * u - d.x * 3 * u, place.y - d.x * 5 * u - d.y * 3 * u},
                                  {place.x + d.y * 5 * u - d.x * 3 * u, place.y + d.x * 5 * u - d.y * 3 * u},
                                  t.text);
    }
    const float w = p_.width(Type::small_strong, word);
    const float h = p_.height(Type::small_strong);
    for (const ImVec2 off : {ImVec2{13 * u, -h / 2}, ImVec2{-13 * u - w, -h / 2}, ImVec2{-w / 2, 12 * u},
                             ImVec2{-w / 2, -12 * u - h}})
    {
        const Rect box{place.x + off.x, place.y + off.y, w, h};
        if (free(box) && box.y >= plot_.y && box.bottom() <= plot_.bottom())
        {
            p_.fill({box.x - 3 * u, box.y, box.w + 6 * u, box.h}, with_alpha(t.window, 0.75F), 4 * u);
            p_.text(box.x, box.middle(), Type::small_strong, t.text, word);
            taken_.push_back(box);
            return;
        }
    }
}

const Candidate* Chart::nearest(ImVec2 mouse) const
{
    const SearchResult& r = frame_.answer.result;
    const Candidate* found = nullptr;
    float closest = p_.px(14);
    for (const std::vector<Candidate>* list : {&r.cuts, &r.frontier, &r.sample})
    {
        for (const Candidate& c : *list)
        {
            const ImVec2 place = at(c);
            const float distance = std::hypot(mouse.x - place.x, mouse.y - place.y);
            if (inside(c) && distance < closest)
            {
                closest = distance;
                found = &c;
            }
        }
    }
    return found;
}

PlannerChartEvent Chart::draw()
{
    PlannerChartEvent event;
    if (plot_.w < p_.px(120) || plot_.h < p_.px(56))
    {
        return event; // the table and the caption have the answer
    }
    draw_title();
    draw_axes();
    draw_limit();
    draw_points();
    draw_limit_words();
    draw_frontier();
    draw_frontier_words();
    draw_best();
    if (frame_.before != nullptr)
    {
        draw_marked(*frame_.before, "A");
    }
    draw_marked(frame_.now, "now");
    const Press pressed = frame_.live ? press(p_, plot_, "###scatter", 3) : Press();
    const Candidate* found = pressed.hovered ? nearest(ImGui::GetIO().MousePos) : nullptr;
    if (found != nullptr)
    {
        event.hovered = *found;
        event.clicked = pressed.clicked && !pressed.focused;
    }
    const std::optional<Candidate> lit = found != nullptr ? std::optional(*found) : frame_.lit;
    if (lit && inside(*lit))
    {
        const float u = p_.look.scale;
        p_.list.AddCircle(at(*lit), 10 * u, p_.theme.window, 0, 4 * u);
        p_.list.AddCircle(at(*lit), 10 * u, p_.theme.text, 0, 2 * u);
    }
    return event;
}

} // namespace

PlannerChartEvent draw_planner_chart(const Painter& painter, Rect area, const PlannerChartFrame& frame)
{
    return Chart(painter, area, frame).draw();
}

} // namespace ringside
