// The words of the field: typed, found, explained, with where each is seen.
#include <fmt/format.h>

#include "ui/shell/lesson_frame.h"
#include "ui/shell/view.h"
#include "ui/views/glossary/detail.h"
#include "ui/views/glossary/list.h"
#include "ui/widgets/controls.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr float kTwoPanes = 600;   // [design px] below it there is room for one
constexpr std::size_t kLately = 8; // words looked at before
constexpr int kLettersInARow = 7;

class GlossaryView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool about_scenario() const override { return false; }
    std::vector<std::string> facts(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    void keys(const Frame& frame, Out& out) override;
    void typing_keys(const Frame& frame, Out& out) override;
    void show(std::string_view id) override { asked_ = id; }

private:
    static std::span<const GlossaryTerm> terms(const Frame& frame);
    void go_to(std::string_view id);
    void act(const Frame& frame, const GlossaryEvent& event, Out& out);
    void move_by_keys(Out& out);
    void alt_keys(const Frame& frame, Out& out);
    void draw_detail(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_one_pane(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_letters(const Frame& frame, const Painter& painter, Rect& area, Out& out);
    void draw_lately(const Frame& frame, const Painter& painter, Rect area, Out& out);
    static void draw_empty(const Painter& painter, Rect area);

    GlossaryList list_;
    GlossaryDetail detail_;
    std::string asked_;               // id of a term to show at the next draw; empty: none
    std::vector<std::string> lately_; // ids, the newest first
    bool listing_ = false;            // of the one pane there is room for
    int drawn_ = -2;                  // ImGui's frame
};

std::span<const GlossaryTerm> GlossaryView::terms(const Frame& frame)
{
    return frame.course == nullptr ? std::span<const GlossaryTerm>() : frame.course->course.glossary;
}

void GlossaryView::go_to(std::string_view id)
{
    const GlossaryTerm* from = list_.chosen();
    if (drawn_ >= 0 && from != nullptr && from->id != id) // not the first of all, which nobody chose
    {
        std::erase(lately_, from->id);
        lately_.insert(lately_.begin(), from->id);
        lately_.resize(std::min(lately_.size(), kLately));
    }
    list_.choose(id);
    list_.focus();
    listing_ = false;
}

void GlossaryView::act(const Frame& frame, const GlossaryEvent& event, Out& out)
{
    const GlossaryTerm* term = list_.chosen();
    if (!event.term.empty())
    {
        go_to(event.term);
        out.animating = true;
    }
    else if (term != nullptr && event.see && find_view(term->view) != nullptr)
    {
        out.push(OpenView{term->view});
    }
    else if (term != nullptr && event.lesson && frame.course->course.lesson(term->lesson) != nullptr)
    {
        out.push(StartLesson{term->lesson});
    }
}

Caption GlossaryView::caption(const Frame& frame) const
{
    const GlossaryTerm* term = list_.chosen();
    if (term == nullptr)
    {
        return {};
    }
    Caption caption;
    const ViewInfo* view = find_view(term->view);
    const Lesson* lesson = frame.course->course.lesson(term->lesson);
    caption.sentence = fmt::format("**{}**", term->term);
    caption.sentence += view == nullptr ? "" : fmt::format(" is seen in \u201c{}\u201d", view->title);
    caption.sentence += lesson == nullptr ? "." : fmt::format(", and lesson {} is about it.", lesson->number);
    return caption;
}

std::vector<std::string> GlossaryView::facts(const Frame& frame) const
{
    const std::size_t all = terms(frame).size();
    return {list_.count() == all ? fmt::format("{} words", all)
                                 : fmt::format("{} of {} words", list_.count(), all),
            list_.count() == 0 ? "" : fmt::format("{} of {}", list_.place() + 1, list_.count())};
}

void GlossaryView::draw_empty(const Painter& p, Rect area)
{
    area.cut_top(area.h * 0.2F);
    area.cut_top(p.paragraph({area.x, area.y, area.w, 0}, Type::title, p.theme.text,
                             "No glossary found in study/glossary.json of the assets") +
                 p.px(8));
    p.paragraph({area.x, area.y, area.w, 0}, Type::small, p.theme.muted,
                "Start with --assets DIR or set RINGSIDE_ASSETS to a folder that has one; ringside check "
                "names what is wrong in a file.");
}

void GlossaryView::draw_detail(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    area.cut_bottom(p.px(8));
    const GlossaryTerm* term = list_.chosen();
    act(frame,
        term != nullptr ? detail_.draw(frame, p, area, *term)
                        : GlossaryDetail::draw_none(p, area, list_.query(), terms(frame)),
        out);
}

void GlossaryView::draw_one_pane(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    Rect row = area.cut_top(p.px(40));
    const Rect other = row.cut_right(std::min(row.w * 0.4F, p.px(72)));
    row.cut_right(p.px(8));
    const bool entered = list_.draw_field(p, row, out);
    if (button(p, {other.x, other.middle() - p.px(16), other.w, p.px(32)},
               listing_ ? "Back###list words" : "List###list words"))
    {
        listing_ = !listing_;
        out.animating = true;
    }
    area.cut_top(p.px(12));
    if (listing_)
    {
        listing_ = !list_.draw_rows(p, area);
    }
    else
    {
        draw_detail(frame, p, area, out);
    }
    act(frame, {"", entered, false}, out);
}

void GlossaryView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    list_.update(terms(frame));
    if (terms(frame).empty())
    {
        draw_empty(p, area);
        return;
    }
    if (!asked_.empty())
    {
        go_to(std::exchange(asked_, {}));
    }
    if (ImGui::GetFrameCount() > drawn_ + 1)
    {
        list_.focus(); // just opened: what is typed is searched
    }
    drawn_ = ImGui::GetFrameCount();
    const ImGuiID id = ImGui::GetID("###word arrows");
    ImGui::SetKeyOwner(ImGuiKey_UpArrow, id);
    ImGui::SetKeyOwner(ImGuiKey_DownArrow, id);
    if (frame.preferences.presenter || area.w < p.px(kTwoPanes))
    {
        draw_one_pane(frame, p, area, out);
        return;
    }
    Rect list = area.cut_left(std::clamp(area.w * 0.34F, p.px(232), p.px(320)));
    area.cut_left(p.px(12));
    p.line(area.x, area.y, area.x, area.bottom() - p.px(8), p.theme.grid);
    area.cut_left(p.px(24));
    const bool entered = list_.draw_field(p, list.cut_top(p.px(40)), out);
    list.cut_top(p.px(8));
    list.cut_bottom(p.px(8));
    if (list_.draw_rows(p, list))
    {
        list_.focus();
        out.animating = true;
    }
    draw_detail(frame, p, area, out);
    act(frame, {"", entered, false}, out);
}

// A letter each, to jump to its first word.
void GlossaryView::draw_letters(const Frame& frame, const Painter& p, Rect& area, Out& out)
{
    std::vector<std::string> letters;
    for (const GlossaryTerm& term : terms(frame))
    {
        if (letters.empty() || letters.back() != initial_of(term))
        {
            letters.push_back(initial_of(term));
        }
    }
    const GlossaryTerm* chosen = list_.chosen();
    const float w = area.w / static_cast<float>(kLettersInARow);
    const float h = p.px(30);
    for (std::size_t i = 0; i < letters.size(); ++i)
    {
        const auto column = static_cast<float>(i % kLettersInARow);
        const auto line = static_cast<float>(i / kLettersInARow);
        const Rect cell{area.x + w * column, area.y + h * line, w - p.px(4), h - p.px(4)};
        const Press pressed = press(p, cell, fmt::format("###letter {}", letters[i]).c_str(), 4);
        const bool on = chosen != nullptr && initial_of(*chosen) == letters[i];
        p.fill(cell, on || pressed.hovered ? p.theme.raised : p.theme.control, p.px(4));
        p.text(cell.centre(), cell.middle(), on ? Type::small_strong : Type::small, p.theme.text, letters[i],
               Align::centre);
        if (pressed.clicked)
        {
            list_.jump(letters[i]);
            list_.focus();
            out.animating = true;
        }
    }
    area.cut_top(h * static_cast<float>((letters.size() + kLettersInARow - 1) / kLettersInARow) + p.px(16));
}

void GlossaryView::draw_lately(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const auto ids = lately_; // pressing one changes them
    for (const std::string& id : ids)
    {
        const GlossaryTerm* term = find_term(terms(frame), id);
        const Rect row = area.cut_top(p.px(28));
        if (term == nullptr || area.h <= 0)
        {
            return;
        }
        const Press pressed = press(p, row, fmt::format("{}###lately {}", term->term, id).c_str(), 4);
        p.text_within(row.x, row.middle(), row.w, Type::small, pressed.hovered ? p.theme.text : p.theme.muted,
                      term->term);
        if (pressed.clicked)
        {
            go_to(id);
            out.animating = true;
        }
    }
}

bool GlossaryView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    list_.update(terms(frame));
    if (terms(frame).empty())
    {
        return true;
    }
    const auto head = [&](std::string_view words)
    {
        const Rect row = area.cut_top(p.px(32));
        p.text(row.x, row.middle(), Type::small_strong, p.theme.text, words);
    };
    head("From A to Z");
    draw_letters(frame, p, area, out);
    if (!lately_.empty())
    {
        head("Looked at before");
        draw_lately(frame, p, area, out);
    }
    return true;
}

void GlossaryView::move_by_keys(Out& out)
{
    constexpr int kPage = 10;
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key) ? 1 : 0; };
    const int by = pressed(ImGuiKey_DownArrow) - pressed(ImGuiKey_UpArrow) +
                   kPage * (pressed(ImGuiKey_PageDown) - pressed(ImGuiKey_PageUp));
    list_.move(by);
    out.animating = out.animating || by != 0;
}

// Those that a field leaves alone.
void GlossaryView::alt_keys(const Frame& frame, Out& out)
{
    const GlossaryTerm* term = list_.chosen();
    if (term == nullptr || !ImGui::GetIO().KeyAlt)
    {
        return;
    }
    GlossaryEvent event;
    event.lesson = ImGui::IsKeyPressed(ImGuiKey_L, false);
    for (std::size_t i = 0; i < term->related.size() && i < 9; ++i)
    {
        if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i)), false))
        {
            event.term = term->related[i];
        }
    }
    act(frame, event, out);
}

void GlossaryView::typing_keys(const Frame& frame, Out& out)
{
    move_by_keys(out);
    alt_keys(frame, out);
}

void GlossaryView::keys(const Frame& frame, Out& out)
{
    move_by_keys(out);
    const bool free = GImGui->NavDisableHighlight || GImGui->NavId == 0;
    const bool enter =
        ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
    act(frame, {"", free && enter, false}, out);
    if (ImGui::IsKeyPressed(ImGuiKey_F, false))
    {
        list_.focus();
        out.animating = true;
    }
}

constexpr std::array kKeys{KeyHelp{"type", "Search: names first, then what is said of them"},
                           KeyHelp{"\u2191 \u2193", "Choose a word; page keys go by ten"},
                           KeyHelp{"Enter", "See it: the view where the word is at home"},
                           KeyHelp{"Alt L", "The lesson about it"},
                           KeyHelp{"Alt 1 \u2026 9", "A related word"},
                           KeyHelp{"Esc", "Clear; once more: out of the field"},
                           KeyHelp{"F", "Back into the field"}};

} // namespace

extern const ViewInfo glossary_view;
const ViewInfo glossary_view{96,
                             "glossary",
                             "Study",
                             "Glossary",
                             "What does that word mean?",
                             "Every term with its meaning, formula, source, and the view where it is seen",
                             {},
                             kKeys,
                             [] { return std::unique_ptr<View>(std::make_unique<GlossaryView>()); }};

} // namespace ringside
