#include "ui/views/glossary/detail.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ui/shell/lesson_frame.h"
#include "ui/shell/scopes.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kWide = 460; // [design px] from here on the text is larger
constexpr float kMost = 720; // [design px] longer lines are hard to read
constexpr std::size_t kNear = 6;

void draw_head(const Painter& p, Rect& left, const GlossaryTerm& term)
{
    const bool room = p.width(Type::display, term.term) <= left.w;
    const Type type = room ? Type::display : Type::title;
    left.cut_top(p.paragraph({left.x, left.y, left.w, 0}, type, p.theme.text, term.term) + p.px(2));
    if (!term.also.empty())
    {
        const std::string also = fmt::format("{}", fmt::join(term.also, "  \u00b7  "));
        left.cut_top(p.paragraph({left.x, left.y, left.w, 0}, Type::small, p.theme.muted, also));
    }
    left.cut_top(p.px(16));
}

void draw_text(const Painter& p, Rect& left, const GlossaryTerm& term)
{
    const Type type = left.w >= p.px(kWide) ? Type::body : Type::small;
    left.cut_top(p.paragraph({left.x, left.y, left.w, 0}, type, p.theme.text, term.text) + p.px(16));
}

// In a box that is as high as the formula is long.
void draw_formula(const Painter& p, Rect& left, const GlossaryTerm& term)
{
    if (!term.formula.empty())
    {
        const float margin = p.px(14);
        p.list.ChannelsSplit(2);
        p.list.ChannelsSetCurrent(1);
        const float used = p.paragraph({left.x + margin, left.y + p.px(10), left.w - 2 * margin, 0},
                                       Type::mono_small, p.theme.text, term.formula);
        p.list.ChannelsSetCurrent(0);
        p.fill({left.x, left.y, left.w, used + p.px(20)}, p.theme.control, p.px(6));
        p.list.ChannelsMerge();
        left.cut_top(used + p.px(28));
    }
    if (!term.source.empty())
    {
        left.cut_top(p.paragraph({left.x, left.y, left.w, 0}, Type::small, p.theme.muted, term.source) +
                     p.px(8));
    }
    left.cut_top(p.px(8));
}

// Buttons from left to right, in as many rows as they need; the one pressed.
class Flow
{
public:
    Flow(const Painter& p, Rect& left) : p_(p), left_(left), x_(left.x) {}
    ~Flow() { left_.cut_top(p_.px(kHigh + 16)); }
    Flow(const Flow&) = delete;
    Flow& operator=(const Flow&) = delete;

    bool put(const std::string& words, std::string_view id, std::string_view key, ButtonStyle style)
    {
        const float cap = key.empty() ? 0 : p_.width(Type::mono_small, key) + p_.px(20);
        const float w = std::min(left_.w, p_.width(Type::small_strong, words) + cap + p_.px(28));
        if (x_ > left_.x && x_ + w > left_.right())
        {
            x_ = left_.x;
            left_.cut_top(p_.px(kHigh + 8));
        }
        const Rect r{x_, left_.y, w, p_.px(kHigh)};
        x_ += w + p_.px(8);
        return button(p_, r, fmt::format("{}###{}", words, id).c_str(), key, style);
    }

private:
    static constexpr float kHigh = 32; // [design px]
    const Painter& p_;
    Rect& left_;
    float x_;
};

void draw_ways(const Frame& frame, const Painter& p, Rect& left, const GlossaryTerm& term,
               GlossaryEvent& event)
{
    const ViewInfo* view = find_view(term.view);
    const Lesson* lesson = frame.course == nullptr ? nullptr : frame.course->course.lesson(term.lesson);
    if (view == nullptr && lesson == nullptr)
    {
        return;
    }
    Flow row(p, left);
    if (view != nullptr)
    {
        event.see = row.put(fmt::format("See it: {}", view->tab), "see it", "Enter", ButtonStyle::primary);
    }
    if (lesson != nullptr)
    {
        event.lesson =
            row.put(fmt::format("Lesson: {}", lesson->title), "its lesson", "Alt L", ButtonStyle::plain);
    }
}

void draw_related(const Frame& frame, const Painter& p, Rect& left, const GlossaryTerm& term,
                  GlossaryEvent& event)
{
    if (term.related.empty())
    {
        return;
    }
    const Rect head = left.cut_top(p.px(28));
    const float used = p.text(head.x, head.middle(), Type::small_strong, p.theme.text, "Related");
    p.text(head.x + used + p.px(8), head.middle(), Type::small, p.theme.muted, "with Alt");
    Flow row(p, left);
    for (std::size_t i = 0; i < term.related.size(); ++i)
    {
        const GlossaryTerm* other = find_term(frame.course->course.glossary, term.related[i]);
        if (other != nullptr &&
            row.put(other->term, "related " + other->id, std::to_string(i + 1), ButtonStyle::plain))
        {
            event.term = other->id;
        }
    }
}

} // namespace

GlossaryEvent GlossaryDetail::draw(const Frame& frame, const Painter& window, Rect area,
                                   const GlossaryTerm& term)
{
    GlossaryEvent event;
    ImGui::SetCursorScreenPos(area.min());
    const ChildScope child("###word on show", {area.w, area.h});
    if (id_ != term.id)
    {
        ImGui::SetScrollY(0);
        id_ = term.id;
    }
    const Painter p(*ImGui::GetWindowDrawList(), window.look);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float edge = p.px(3); // of the outlines
    Rect left{top.x + edge, top.y, std::min(area.w - p.px(14) - edge, p.px(kMost)), 1e6F};
    draw_head(p, left, term);
    draw_text(p, left, term);
    draw_formula(p, left, term);
    draw_ways(frame, p, left, term, event);
    draw_related(frame, p, left, term, event);
    ImGui::SetCursorScreenPos({top.x, left.y + p.px(8)});
    ImGui::Dummy({1, 1}); // so that the child knows how far it scrolls
    return event;
}

GlossaryEvent GlossaryDetail::draw_none(const Painter& p, Rect area, std::string_view query,
                                        std::span<const GlossaryTerm> terms)
{
    GlossaryEvent event;
    area.cut_top(p.px(8));
    area.cut_top(p.paragraph({area.x, area.y, area.w, 0}, Type::title, p.theme.text,
                             fmt::format("No word fits \u201c{}\u201d", query)) +
                 p.px(8));
    area.cut_top(p.paragraph({area.x, area.y, area.w, 0}, Type::small, p.theme.muted,
                             "The nearest ones; Esc clears what was typed.") +
                 p.px(16));
    Flow row(p, area);
    for (const std::size_t i : nearest_terms(terms, query, kNear))
    {
        if (row.put(terms[i].term, "near " + terms[i].id, "", ButtonStyle::plain))
        {
            event.term = terms[i].id;
        }
    }
    return event;
}

} // namespace ringside
