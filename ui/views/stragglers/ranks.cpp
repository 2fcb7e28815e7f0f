#include "ui/views/stragglers/ranks.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr auto kMostGpus = static_cast<double>(kMostGrown);
constexpr double kMostSlower = 1; // twice as long

class Histogram
{
public:
    Histogram(const Painter& painter, Rect area, const RankTimes& ranks, const std::vector<double>& times)
        : p_(painter), area_(area), ranks_(ranks), times_(times)
    {
        area_.cut_left(p_.px(8));
        area_.cut_right(p_.px(8));
        area_.cut_top(p_.height(Type::small) * 2 + p_.px(18));
        area_.cut_bottom(p_.height(Type::mono_small) + p_.px(8));
        slowest_ = *std::max_element(times_.begin(), times_.end());
        double sum = 0;
        for (const double time : times_)
        {
            sum += time;
        }
        mean_ = sum / static_cast<double>(times_.size());
        // The same axis for every step, so that they can be compared.
        low_ = ranks_.mean * std::max(0.0, 1 - 5 * ranks_.spread - 0.02);
        high_ = std::max(
            slowest_, ranks_.mean * (1 + (ranks_.slow > 0 ? ranks_.slower : 0) + 5 * ranks_.spread + 0.04));
    }

    std::optional<double> draw()
    {
        draw_head();
        draw_bars();
        draw_axis();
        mark(mean_, "mean " + format_seconds(Seconds(mean_)), false);
        mark(slowest_, "the step: " + format_seconds(Seconds(slowest_)), true);
        return ranks_.slow > 0 ? drag() : std::nullopt;
    }

private:
    float x(double time) const
    {
        return area_.x + area_.w * static_cast<float>((time - low_) / (high_ - low_));
    }

    void draw_head() const
    {
        const float middle = area_.y - p_.height(Type::small) * 1.5F - p_.px(14);
        p_.text_within(area_.x, middle, area_.w, Type::small_strong, p_.theme.text,
                       fmt::format("Compute times of {} ranks in one step", grouped(ranks_.ranks)));
    }

    void draw_bars() const
    {
        const Theme& t = p_.theme;
        // The bins cover the axis, not the draw.
        constexpr std::size_t kBins = 60;
        std::array<Bin, kBins> bins{};
        std::int64_t most = 1;
        for (std::size_t i = 0; i < times_.size(); ++i)
        {
            const double share = std::clamp((times_[i] - low_) / (high_ - low_), 0.0, 0.999999);
            Bin& bin = bins.at(static_cast<std::size_t>(share * kBins));
            ++(static_cast<std::int64_t>(i) < ranks_.slow ? bin.slow : bin.healthy);
            most = std::max(most, bin.healthy + bin.slow);
        }
        const float wide = area_.w / kBins;
        for (std::size_t i = 0; i < kBins; ++i)
        {
            // A lone rank among thousands must be seen.
            const auto height = [&](std::int64_t n) {
                return n == 0
                           ? 0.0F
                           : std::max(p_.px(4), area_.h * static_cast<float>(n) / static_cast<float>(most));
            };
            const float left = area_.x + wide * static_cast<float>(i);
            const float low = height(bins.at(i).healthy);
            const float high = height(bins.at(i).slow);
            p_.fill({left, area_.bottom() - low, wide - 1, low}, t.forward.fill);
            const Rect slow{left, area_.bottom() - low - high, wide - 1, high};
            p_.fill(slow, t.backward_input.fill);
            p_.hatch(slow, t.window, kOverflowHatch);
        }
    }

    void draw_axis() const
    {
        const Theme& t = p_.theme;
        p_.line(area_.x, area_.bottom(), area_.right(), area_.bottom(), t.line);
        const float middle = area_.bottom() + p_.height(Type::mono_small) / 2 + p_.px(4);
        p_.text(area_.x, middle, Type::mono_small, t.muted, format_seconds(Seconds(low_)));
        p_.text(area_.right(), middle, Type::mono_small, t.muted, format_seconds(Seconds(high_)),
                Align::right);
    }

    void mark(double time, const std::string& words, bool above) const
    {
        const Theme& t = p_.theme;
        const float at = x(time);
        p_.line(at, area_.y - p_.px(4), at, area_.bottom(), t.text, p_.px(above ? 2.0F : 1.0F));
        const Type type = above ? Type::small_strong : Type::small;
        const float w = p_.width(type, words);
        const float left = std::clamp(at - w / 2, area_.x, std::max(area_.x, area_.right() - w));
        const float middle = area_.y - p_.px(6) - p_.height(Type::small) / 2;
        // The mean stays away from the step's words.
        const std::string other = "the step: " + format_seconds(Seconds(slowest_));
        const float ow = p_.width(Type::small_strong, other);
        const float ox = std::clamp(x(slowest_) - ow / 2, area_.x, std::max(area_.x, area_.right() - ow));
        if (!above && left + w + p_.px(8) > ox)
        {
            const float moved = ox - w - p_.px(12);
            if (moved >= area_.x)
            {
                p_.text(moved, middle, type, t.muted, words);
            }
            return;
        }
        p_.text(left, middle, type, above ? t.text : t.muted, words);
    }

    // A handle under the slow ranks' mean.
    std::optional<double> drag() const
    {
        const float at = x(ranks_.mean * (1 + ranks_.slower));
        const float reach = p_.px(11);
        const Rect grip{at - reach, area_.bottom() - reach, 2 * reach, 2 * reach};
        const Press pressed = press(p_, grip, "###how slow the slow ranks are", 11);
        p_.list.AddCircleFilled({at, area_.bottom()}, p_.px(pressed.hovered || pressed.held ? 8.0F : 6.5F),
                                p_.theme.text);
        p_.list.AddCircleFilled({at, area_.bottom()}, p_.px(3.5F), p_.theme.window);
        if (!pressed.held)
        {
            tooltip(p_, "Drag: how much longer the slow ranks take");
        }
        if (pressed.held && ImGui::IsMouseDragging(0, 1))
        {
            const double time =
                low_ + (high_ - low_) * static_cast<double>((ImGui::GetIO().MousePos.x - area_.x) / area_.w);
            return std::clamp(std::round((time / ranks_.mean - 1) * 100) / 100, 0.01, kMostSlower);
        }
        if (const int steps = pressed.focused ? arrow_steps(ImGui::GetItemID()) : 0; steps != 0)
        {
            return std::clamp(ranks_.slower + 0.05 * steps, 0.01, kMostSlower);
        }
        return std::nullopt;
    }

    const Painter& p_;
    Rect area_;
    const RankTimes& ranks_;
    const std::vector<double>& times_;
    double slowest_ = 0;
    double mean_ = 0;
    double low_ = 0;
    double high_ = 1;
};

class Growth
{
public:
    Growth(const Painter& painter, Rect area, const RankCosts& costs)
        : p_(painter), area_(area), costs_(costs)
    {
        area_.cut_left(p_.width(Type::mono_small, "100%") + p_.px(10));
        area_.cut_right(p_.px(14));
        area_.cut_top(p_.height(Type::small) + p_.px(14));
        area_.cut_bottom(p_.height(Type::mono_small) + p_.px(8));
        most_ = std::max({0.02, costs.lost_by.back(), costs.lost}) * 1.25;
    }

    std::optional<std::int64_t> draw() const
    {
        if (area_.h < p_.px(30) || area_.w < p_.px(80))
        {
            return std::nullopt;
        }
        draw_axes();
        const Theme& t = p_.theme;
        std::vector<ImVec2> line;
        double n = 1;
        for (const double lost : costs_.lost_by)
        {
            line.emplace_back(x(n), y(lost));
            n *= 2;
        }
        p_.list.AddPolyline(line.data(), static_cast<int>(line.size()), t.text, 0, p_.px(2.5F));
        return draw_own();
    }

private:
    float x(double n) const
    {
        return area_.x +
               area_.w * static_cast<float>(std::clamp(std::log(n) / std::log(kMostGpus), 0.0, 1.0));
    }
    float y(double share) const
    {
        return area_.bottom() - area_.h * static_cast<float>(std::min(1.0, share / most_));
    }

    void draw_axes() const
    {
        const Theme& t = p_.theme;
        const int wanted = std::clamp(static_cast<int>(area_.h / (p_.height(Type::mono_small) * 1.6F)), 1, 3);
        for (int i = 0; i <= wanted; ++i)
        {
            const double share = most_ * i / wanted;
            p_.line(area_.x, y(share), area_.right(), y(share), t.grid);
            p_.text(area_.x - p_.px(6), y(share), Type::mono_small, t.muted,
                    share == 0 ? "0" : fmt::format("{:.2g}%", share * 100), Align::right);
        }
        float taken = -1e9F;
        for (std::int64_t n = 1; n <= static_cast<std::int64_t>(kMostGpus); n *= 8)
        {
            const float half = p_.width(Type::mono_small, grouped(n)) / 2;
            const auto place = static_cast<double>(n);
            if (x(place) - half > taken)
            {
                p_.text(x(place), area_.bottom() + p_.height(Type::mono_small) / 2 + p_.px(4),
                        Type::mono_small, t.muted, grouped(n), Align::centre);
                taken = x(place) + half + p_.px(8);
            }
        }
        p_.line(area_.x, area_.bottom(), area_.right(), area_.bottom(), t.line);
        p_.text_within(area_.x - p_.px(30), area_.y - p_.height(Type::small) / 2 - p_.px(10),
                       area_.w + p_.px(30), Type::small_strong, t.text, "Throughput lost by number of ranks");
    }

    std::optional<std::int64_t> draw_own() const
    {
        const std::int64_t ranks = costs_.of.ranks;
        const double loss = costs_.lost;
        const ImVec2 at{x(static_cast<double>(ranks)), y(loss)};
        const float reach = p_.px(12);
        const Press pressed =
            press(p_, {at.x - reach, at.y - reach, 2 * reach, 2 * reach}, "###ranks that wait", 12);
        const float radius = p_.px(pressed.hovered || pressed.held ? 8.0F : 6.5F);
        p_.list.AddCircleFilled(at, radius, p_.theme.text);
        p_.list.AddCircleFilled(at, radius * 0.55F, p_.theme.window);
        const std::string words = fmt::format("{} ranks: {}", grouped(ranks), format_percent(loss));
        const float w = p_.width(Type::small_strong, words) + p_.px(8);
        const float high = p_.height(Type::small_strong);
        const float left = std::clamp(at.x - w / 2, area_.x, std::max(area_.x, area_.right() - w));
        const bool above = at.y - radius - high - p_.px(2) > area_.y;
        const float middle =
            above ? at.y - radius - high / 2 - p_.px(3) : at.y + radius + high / 2 + p_.px(3);
        if (w < area_.w)
        {
            p_.fill({left, middle - high / 2, w, high}, with_alpha(p_.theme.window, 0.9F), p_.px(4));
            p_.text(left + p_.px(4), middle, Type::small_strong, p_.theme.text, words);
        }
        if (!pressed.held)
        {
            tooltip(p_, "Drag: GPUs of the scenario");
        }
        if (pressed.held && ImGui::IsMouseDragging(0, 1))
        {
            const auto share = static_cast<double>((ImGui::GetIO().MousePos.x - area_.x) / area_.w);
            return std::llround(std::pow(kMostGpus, std::clamp(share, 0.0, 1.0)));
        }
        if (const int steps = pressed.focused ? arrow_steps(ImGui::GetItemID()) : 0; steps != 0)
        {
            return steps > 0 ? ranks * 2 : std::max<std::int64_t>(1, ranks / 2);
        }
        return std::nullopt;
    }

    const Painter& p_;
    Rect area_;
    const RankCosts& costs_;
    double most_ = 1;
};

} // namespace

RankCosts rank_costs(const RankTimes& ranks)
{
    RankCosts costs{ranks,
                    expected_step(ranks),
                    straggler_loss(ranks),
                    expected_largest_normal(static_cast<double>(ranks.ranks)),
                    {}};
    RankTimes grown = ranks;
    for (std::int64_t n = 1; n <= kMostGrown; n *= 2)
    {
        grown.ranks = n;
        grown.slow = std::min(ranks.slow, n);
        costs.lost_by.push_back(straggler_loss(grown));
    }
    return costs;
}

RankWish draw_ranks(const Painter& painter, Rect area, const RankCosts& costs,
                    const std::vector<double>& times)
{
    RankWish wish;
    const bool both = area.h > painter.px(240);
    Rect top = both ? area.cut_top(area.h * 0.56F) : area;
    if (top.h > painter.px(80) && top.w > painter.px(80))
    {
        painter.part("ranks", top);
        wish.slower = Histogram(painter, top, costs.of, times).draw();
    }
    if (both)
    {
        area.cut_top(painter.px(8));
        painter.part("growth", area);
        wish.gpus = Growth(painter, area, costs).draw();
    }
    return wish;
}

} // namespace ringside
