#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/recompute/pictures.h"

#include <algorithm>

namespace ringside
{

namespace
{

struct Choice
{
    std::string key;
    std::string name;
    std::string says; // for the tooltip
    RecomputePoint point;
    std::optional<Recompute> setting; // empty: segments, which are the view's own
};

std::vector<Choice> choices_of(const RecomputeDesk& desk, const RecomputeState& state)
{
    const RecomputeChoices& c = desk.choices();
    const auto of = [&](Recompute r) { return c.settings[static_cast<std::size_t>(r)]; };
    return {
        {"1", "none", "Everything the forward pass leaves is kept.", of(Recompute::none), Recompute::none},
        {"2", "selective",
         "Attention\u2019s scores are let go and computed again: large to keep, cheap to make. Nothing to "
         "let go "
         "with flash attention. Korthikanti et al. 2022, arXiv 2205.05198, section 5",
         of(Recompute::selective), Recompute::selective},
        {"3", "full",
         "Only the input of every layer is kept; each layer\u2019s forward runs again before its backward. "
         "2 s b h a layer: Korthikanti et al. 2022, arXiv 2205.05198, Table 2",
         of(Recompute::full), Recompute::full},
        {"", fmt::format("{} segments", desk.segments(state)),
         "Only the input of every segment is kept; a segment\u2019s forward runs again before its backward, "
         "and is "
         "there whole meanwhile. Chen et al. 2016, arXiv 1604.06174, section 4.3",
         desk.point(state), std::nullopt}};
}

class Bars
{
public:
    Bars(const Painter& painter, Rect area, const Frame& frame, const std::vector<Choice>& choices)
        : p_(painter), frame_(frame), choices_(choices), area_(area)
    {
        for (const Choice& c : choices_)
        {
            names_ = std::max(names_, p_.width(Type::small_strong, c.name));
            most_bytes_ = std::max(most_bytes_, c.point.total().value);
            most_extra_ = std::max(most_extra_, c.point.extra);
        }
        keyed_ = area_.h >= p_.px(26) * static_cast<float>(choices_.size() + 1);
        names_ += p_.px(keyed_ ? 40 : 14);
        numbers_ = p_.width(Type::mono_small, "00.0 GB") + p_.px(12);
        extras_ = p_.width(Type::mono_small, "+33.3%") + p_.px(12);
        gap_ = p_.px(20);
        const float bars = area_.w - names_ - numbers_ - extras_ - gap_;
        both_ = bars > p_.px(160);
        bytes_ = both_ ? bars * 0.55F : std::max(p_.px(20), area_.w - names_ - numbers_);
        work_ = bars - bytes_;
    }

    void draw(std::size_t stage, Out& out)
    {
        const float least = p_.height(Type::small) + p_.px(2);
        if (area_.h >= least * static_cast<float>(choices_.size() + 1))
        {
            draw_head(area_.cut_top(std::max(p_.px(24), least)), stage);
        }
        const auto room = static_cast<std::size_t>(std::max(0.0F, area_.h / least));
        const auto shown = shown_in(room);
        const float row = area_.h / static_cast<float>(std::max<std::size_t>(1, shown.size()));
        for (const Choice* c : shown)
        {
            draw_row(area_.cut_top(row), *c, out);
        }
    }

private:
    // In a low window as many as there is room for, the scenario's own among them.
    std::vector<const Choice*> shown_in(std::size_t room) const
    {
        std::vector<const Choice*> shown;
        for (const Choice& c : choices_)
        {
            shown.push_back(&c);
        }
        while (shown.size() > room)
        {
            const bool own = is_own(*shown.back());
            shown.erase(own && shown.size() > 1 ? shown.end() - 2 : shown.end() - 1);
        }
        return shown;
    }
    bool is_own(const Choice& c) const { return c.setting == frame_.now.scenario.training.recompute; }

    void draw_head(Rect head, std::size_t stage) const
    {
        const float x = head.x + names_;
        p_.text_within(x, head.middle(), bytes_ + numbers_ - p_.px(8), Type::small, p_.theme.muted,
                       fmt::format("Bytes on stage {}", stage));
        if (both_)
        {
            p_.text_within(x + bytes_ + numbers_ + gap_, head.middle(), work_ + extras_, Type::small,
                           p_.theme.muted, "Work of a step");
        }
    }

    void draw_row(Rect r, const Choice& c, Out& out)
    {
        const Theme& t = p_.theme;
        const bool own = is_own(c);
        p_.part(c.setting ? c.name : "segments", r);
        const Press pressed =
            press(p_, r, fmt::format("###choice {}", c.setting ? c.name : "segments").c_str(), 6);
        if (own || pressed.hovered)
        {
            p_.fill(r, own ? t.control : with_alpha(t.control, 0.5F), p_.px(6));
        }
        tooltip(p_, fmt::format("{}\n\nkept {}, alive while computing again {}, work +{}", c.says,
                                format_bytes(c.point.kept, p_.look.unit),
                                format_bytes(c.point.again, p_.look.unit), format_percent(c.point.extra)));
        if (pressed.clicked && c.setting && !own)
        {
            Scenario next = frame_.now.scenario;
            next.training.recompute = *c.setting;
            out.push(ChangeScenario{next, false});
        }
        if (!c.key.empty() && keyed_)
        {
            p_.keycap(r.x + p_.px(4), r.middle(), c.key);
        }
        const float left = p_.px(keyed_ ? 34 : 8);
        p_.text_within(r.x + left, r.middle(), names_ - left - p_.px(4),
                       own ? Type::small_strong : Type::small, own ? t.text : t.muted, c.name);
        r.cut_left(names_);
        const float inset = std::max(2.0F, std::round(r.h * 0.22F));
        draw_bytes({r.x, r.y + inset, bytes_, r.h - 2 * inset}, c.point, own);
        if (!both_)
        {
            return;
        }
        r.cut_left(bytes_ + numbers_ + gap_);
        draw_work({r.x, r.y + inset, work_, r.h - 2 * inset}, c.point, own);
    }

    void draw_bytes(Rect r, const RecomputePoint& point, bool own) const
    {
        const Ink& ink = p_.theme.of(Component::activations);
        const auto wide = [&](double bytes)
        { return r.w * static_cast<float>(bytes / std::max(1.0, most_bytes_)); };
        const Rect kept{r.x, r.y, std::max(1.0F, wide(point.kept.value)), r.h};
        p_.block(kept, ink);
        const Rect again{kept.right(), r.y, wide(point.again.value), r.h};
        if (again.w >= 1)
        {
            p_.fill(again, dim(p_.theme, ink.fill, 0.6F));
            p_.hatch(again, ink.fill, kExposedHatch);
        }
        p_.text(r.x + r.w + numbers_ - p_.px(4), r.middle(), Type::mono_small,
                own ? p_.theme.text : p_.theme.muted, format_bytes(point.total(), p_.look.unit),
                Align::right);
    }

    // Forward, backward, and what is computed again: thirds, and the rest to scale.
    void draw_work(Rect r, const RecomputePoint& point, bool own) const
    {
        const Theme& t = p_.theme;
        const auto wide = [&](double share)
        { return r.w * static_cast<float>(share / (1 + std::max(0.01, most_extra_))); };
        Rect rest = r;
        p_.block(rest.cut_left(wide(1.0 / 3)), t.forward, "F");
        if (point.extra > 0)
        {
            const Rect again = rest.cut_left(std::max(1.0F, wide(point.extra)));
            p_.fill(again, dim(t, t.forward.fill, 0.6F));
            p_.hatch(again, t.forward.fill, kExposedHatch);
        }
        p_.block(rest.cut_left(wide(2.0 / 3)), t.backward_input, "B");
        p_.text(r.right() + extras_ - p_.px(4), r.middle(), Type::mono_small, own ? t.text : t.muted,
                point.extra > 0 ? "+" + format_percent(point.extra) : "0", Align::right);
    }

    const Painter& p_;
    const Frame& frame_;
    const std::vector<Choice>& choices_;
    Rect area_;
    float names_ = 0;
    float numbers_ = 0;
    float extras_ = 0;
    float gap_ = 0;
    bool keyed_ = true; // keys stand before the names
    bool both_ = true;  // bars of bytes and of work; else of bytes alone
    float bytes_ = 0;
    float work_ = 0;
    double most_bytes_ = 0;
    double most_extra_ = 0;
};

} // namespace

void draw_choices(const Painter& painter, Rect area, const Frame& frame, const RecomputeDesk& desk,
                  const RecomputeState& state, Out& out)
{
    const auto choices = choices_of(desk, state);
    Bars(painter, area, frame, choices).draw(desk.stage(), out);
}

} // namespace ringside
