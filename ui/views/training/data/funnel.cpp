#include "ui/views/training/data/funnel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scaling/repeats.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr const char* kTokensGrip = "###tokens of the run";

Colour colour_of(const Theme& t, FilterKind kind)
{
    return kind == FilterKind::address      ? t.pipeline.fill
           : kind == FilterKind::extraction ? t.data.fill
           : kind == FilterKind::language   ? t.context.fill
           : kind == FilterKind::rules      ? t.expert.fill
           : kind == FilterKind::duplicates ? t.of(Component::buffers).fill
                                            : t.forward.fill;
}

class FunnelPicture
{
public:
    FunnelPicture(const Painter& painter, Rect area, DataState& state, const Frame& frame, Out& out)
        : p_(painter), state_(state), frame_(frame), out_(out), recipe_(state.funnel()),
          funnel_(funnel_of(state, frame.now))
    {
        head_ = area.cut_top(p_.px(28));
        area.cut_top(p_.px(4));
        const float strip = p_.height(Type::small) * 2 + p_.px(46);
        const float least = p_.height(Type::small);
        const auto rows = static_cast<float>(recipe_.stages.size() + 1);
        if (area.h > strip + std::max(p_.px(90), p_.px(10) + least * rows))
        {
            strip_ = area.cut_bottom(strip);
            area.cut_bottom(p_.px(10));
        }
        rows_ = area;
        // Where not all rows fit, the first do.
        pitch_ = std::clamp(rows_.h / rows, least, p_.px(92));
        shown_ = std::min(recipe_.stages.size(),
                          static_cast<std::size_t>(std::max(0.0F, rows_.h / pitch_ + 0.01F - 1)));
        const bool told = rows_.w > p_.px(560);
        float left = told ? std::min(p_.px(300), rows_.w * 0.36F) : 0;
        for (const FunnelStage& stage : recipe_.stages)
        {
            left = std::max(left, p_.width(Type::small_strong, stage.name) + p_.px(14));
        }
        const float right = p_.width(Type::mono_small, "88.8%") * 2 + p_.px(28);
        bars_ = rows_;
        bars_.cut_left(left);
        bars_.cut_right(right);
        shaped_ = bars_.w >= p_.px(60);
    }

    void draw()
    {
        draw_head();
        if (rows_.h < pitch_)
        {
            return;
        }
        p_.part("funnel", rows_);
        draw_input();
        for (std::size_t i = 0; i < shown_; ++i)
        {
            draw_stage(i);
        }
        for (std::size_t i = 0; i < shown_ && shaped_; ++i)
        {
            grip_stage(i);
        }
        if (strip_.h > 0)
        {
            p_.part("passes", strip_);
            draw_passes();
        }
    }

private:
    std::string heading() const
    {
        return recipe_.input_tokens > 0
                   ? fmt::format("{}: {} tokens", recipe_.input, format_count(recipe_.input_tokens))
                   : std::string(recipe_.input);
    }

    // The column of what a stage keeps of its own input, beside that of what is left of everything.
    float keeps_right() const { return rows_.right() - p_.width(Type::mono_small, "88.8%") - p_.px(14); }

    // Left of the shape, or of the numbers.
    float words_width() const
    {
        const float numbers = keeps_right() - p_.width(Type::mono_small, "88.8%");
        return std::max(0.0F, (shaped_ ? bars_.x : numbers) - rows_.x - p_.px(12));
    }

    void draw_head() const
    {
        const float w = p_.width(Type::small, "keeps");
        p_.text(head_.right(), head_.middle(), Type::small, p_.theme.text, "left", Align::right);
        p_.text(keeps_right(), head_.middle(), Type::small, p_.theme.muted, "keeps", Align::right);
        p_.text_within(head_.x, head_.middle(), keeps_right() - w - p_.px(12) - head_.x, Type::small_strong,
                       p_.theme.text, heading());
    }

    Rect row(std::size_t i) const
    {
        return {rows_.x, rows_.y + pitch_ * static_cast<float>(i), rows_.w, pitch_};
    }
    float half(double share) const { return bars_.w / 2 * static_cast<float>(share); }
    double before(std::size_t stage) const { return stage == 0 ? 1 : funnel_.left[stage - 1]; }

    void draw_input() const
    {
        const Rect r = row(0);
        p_.text_within(r.x, r.middle() - p_.px(2), words_width(), Type::small_strong, p_.theme.text,
                       "Comes in");
        if (shaped_)
        {
            p_.fill({bars_.x, r.y, bars_.w, r.h - p_.px(4)}, p_.theme.raised);
        }
        p_.text(r.right(), r.middle() - p_.px(2), Type::mono_small, p_.theme.text, "100%", Align::right);
    }

    void draw_stage(std::size_t i) const
    {
        const Theme& t = p_.theme;
        const FunnelStage& stage = recipe_.stages[i];
        const Rect r = row(i + 1);
        const Rect words{r.x, r.y, words_width(), r.h};
        const bool two = pitch_ > p_.height(Type::small) * 2 + p_.px(2) && words.w > p_.px(180);
        const float line = p_.height(Type::small);
        const float middle = two ? r.middle() - line / 2 - p_.px(2) : r.middle() - p_.px(2);
        p_.text_within(words.x, middle, words.w, Type::small_strong, t.text, stage.name);
        if (two)
        {
            p_.text_within(words.x, middle + line, words.w, Type::small, t.muted, stage.says);
        }
        if (shaped_)
        {
            draw_shape(i, r);
        }
        const double share = before(i) > 0 ? funnel_.left[i] / before(i) : 0;
        p_.text(r.right(), r.middle() - p_.px(2), Type::mono_small, t.text, share_words(funnel_.left[i]),
                Align::right);
        p_.text(keeps_right(), r.middle() - p_.px(2), Type::mono_small, t.muted, share_words(share),
                Align::right);
        if (r.contains(ImGui::GetIO().MousePos) && state_.hold.owner.empty() && !ImGui::IsAnyItemHovered())
        {
            tooltip_at_mouse(p_, fmt::format("{}: {}. Keeps {} of what comes, {} of everything.", stage.name,
                                             stage.says, share_words(share), share_words(funnel_.left[i])));
        }
    }

    // What comes, and what is kept of it.
    void draw_shape(std::size_t i, Rect r) const
    {
        const Theme& t = p_.theme;
        const float top = half(before(i));
        const float low = half(funnel_.left[i]);
        const float y = r.y;
        const float bottom = r.bottom() - p_.px(4);
        const std::array whole{ImVec2{bars_.centre() - top, y}, ImVec2{bars_.centre() + top, y},
                               ImVec2{bars_.centre() + top, bottom}, ImVec2{bars_.centre() - top, bottom}};
        p_.list.AddConvexPolyFilled(whole.data(), 4, t.panel);
        const std::array kept{ImVec2{bars_.centre() - top, y}, ImVec2{bars_.centre() + top, y},
                              ImVec2{bars_.centre() + low, bottom}, ImVec2{bars_.centre() - low, bottom}};
        p_.list.AddConvexPolyFilled(kept.data(), 4, colour_of(t, recipe_.stages[i].kind));
    }

    void grip_stage(std::size_t i)
    {
        const Rect r = row(i + 1);
        const std::string label = fmt::format("###stage {}", i + 1);
        const float x = bars_.centre() + half(funnel_.left[i]);
        const float bottom = r.bottom() - p_.px(4);
        const float reach = std::min(p_.px(12), pitch_ / 2);
        const Press pressed = press(p_, {x - reach, bottom - reach, 2 * reach, 2 * reach}, label.c_str(), 10);
        p_.list.AddCircleFilled({x, bottom}, p_.px(pressed.hovered || pressed.held ? 6.5F : 4.5F),
                                p_.theme.text);
        p_.list.AddCircleFilled({x, bottom}, p_.px(2), p_.theme.window);
        tooltip(p_, "Drag: what if this stage kept more, or less? R: as published.");
        PlotGrip grip;
        if (pressed.held && ImGui::IsMouseDragging(0, 1))
        {
            grip.to = ImGui::GetIO().MousePos;
        }
        const int steps = pressed.focused ? arrow_steps(ImGui::GetItemID()) : 0;
        const double reaches = std::max(static_cast<double>(half(before(i))), 1e-6);
        double kept = funnel_.left[i] / std::max(before(i), 1e-12);
        const double had = kept;
        if (const auto by = pulled(state_.hold, grip, label.c_str(), kept, reaches))
        {
            kept = state_.hold.value + static_cast<double>(by->x) / state_.hold.scale;
        }
        kept = std::clamp(kept * std::pow(1.1, steps), 0.001, 1.0);
        if (std::abs(kept - had) > 1e-9)
        {
            state_.kept = state_.kept.empty() ? kept_by_stage(recipe_) : state_.kept;
            state_.kept[i] = kept;
            out_.animating = true;
        }
    }

    // The run's tokens, cut where a pass ends; each pass is paler by what it is worth less.
    void draw_passes()
    {
        const Theme& t = p_.theme;
        Rect area = strip_;
        const Rect head = area.cut_top(p_.height(Type::small) + p_.px(8));
        p_.text_within(head.x, head.middle(), head.w, Type::small_strong, t.text,
                       fmt::format("The run wants {} tokens: {} {} over {}", format_count(funnel_.wanted),
                                   format_count(funnel_.passes), funnel_.passes == 1 ? "pass" : "passes",
                                   format_count(funnel_.tokens)));
        const Rect foot = area.cut_bottom(p_.height(Type::small) + p_.px(4));
        area.cut_right(p_.px(14));
        const double most = std::max({funnel_.wanted, funnel_.tokens, 1.0}) * 1.06;
        const Rect bar{area.x, area.y + p_.px(2), area.w, area.h - p_.px(4)};
        const auto x = [&](double tokens) { return bar.x + bar.w * static_cast<float>(tokens / most); };
        p_.fill(bar, t.panel);
        const float pass = x(funnel_.tokens) - bar.x;
        if (pass < p_.px(3))
        {
            p_.fill({bar.x, bar.y, x(funnel_.wanted) - bar.x, bar.h},
                    mix(t.panel, t.forward.fill, static_cast<float>(funnel_.worth / funnel_.wanted)));
        }
        for (int i = 0; pass >= p_.px(3) && i * funnel_.tokens < funnel_.wanted; ++i)
        {
            const float from = x(i * funnel_.tokens);
            const float to = x(std::min(funnel_.wanted, (i + 1) * funnel_.tokens));
            const auto worth = static_cast<float>(worth_of_next_pass(i + 1));
            p_.fill({from, bar.y, std::max(1.0F, to - from - 1), bar.h},
                    mix(t.panel, t.forward.fill, 0.25F + 0.75F * worth));
        }
        p_.dashed(x(funnel_.tokens), bar.y - p_.px(3), x(funnel_.tokens), bar.bottom() + p_.px(3), t.text, 1);
        p_.text_within(foot.x, foot.middle(), foot.w, Type::small, t.muted,
                       funnel_.passes > 1
                           ? fmt::format("dashed: all that is left, once. Worth {} fresh tokens",
                                         format_count(funnel_.worth))
                           : "dashed: all that is left; no token is seen twice");
        grip_tokens({x(funnel_.wanted), bar.middle()}, most / static_cast<double>(bar.w));
    }

    void grip_tokens(ImVec2 at, double scale)
    {
        const PlotGrip grip = draw_grip(p_, at, kTokensGrip, p_.theme.text);
        tooltip(p_, "Drag: tokens of the scenario\u2019s run");
        double wanted = funnel_.wanted;
        if (const auto by = pulled(state_.hold, grip, kTokensGrip, wanted, scale))
        {
            wanted = state_.hold.value + state_.hold.scale * static_cast<double>(by->x);
        }
        wanted = std::clamp(wanted * std::pow(1.1, grip.steps), 1e9, 1e16);
        // Three digits, so that what is said is what is set.
        const double unit = std::pow(10, std::floor(std::log10(wanted)) - 2);
        wanted = std::round(wanted / unit) * unit;
        if ((grip.to || grip.steps != 0) && frame_.valid() && wanted != frame_.scenario.training.tokens)
        {
            Scenario changed = frame_.scenario;
            changed.training.tokens = wanted;
            out_.push(ChangeScenario{changed, true});
        }
    }

    const Painter& p_;
    DataState& state_;
    const Frame& frame_;
    Out& out_;
    const FunnelRecipe& recipe_;
    Funnel funnel_;
    Rect head_, rows_, bars_, strip_;
    float pitch_ = 0;
    std::size_t shown_ = 0; // stages
    bool shaped_ = true;    // there is room for the shape beside the words
};

} // namespace

void draw_funnel(const Painter& painter, Rect area, DataState& state, const Frame& frame, Out& out)
{
    FunnelPicture(painter, area, state, frame, out).draw();
}

} // namespace ringside
