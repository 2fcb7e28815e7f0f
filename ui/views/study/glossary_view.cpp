// The words of the field: typed, found, explained, with where each is seen.
//
// Letters belong to the text field; brackets still turn to the neighbouring views.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/study/library/glossary.h"
#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/view.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/list_detail.h"
#include "ui/widgets/scrolled_sheet.h"
#include "ui/widgets/sheet.h"

#include <algorithm>
#include <span>
#include <utility>

namespace ringside
{

namespace
{

// What was pressed.
struct GlossaryEvent
{
    std::string term;    // id of a related one; empty: none
    bool see = false;    // the view where it is seen
    bool lesson = false; // the lesson about it
};

constexpr float kWide = 460; // [design px] from here on the text is larger

constexpr float kMost = 720; // [design px] longer lines are hard to read

constexpr std::size_t kNear = 6;

KeyButton term_button(const GlossaryTerm& term, const char* what, const std::string& key,
                      GlossaryEvent& event)
{
    return {fmt::format("{}###{} {}", term.term, what, term.id), key, [&] { event.term = term.id; }};
}

void draw_ways(const Frame& frame, Sheet& sheet, const GlossaryTerm& term, GlossaryEvent& event)
{
    std::vector<KeyButton> ways;
    if (const ViewInfo* view = find_view(term.view))
    {
        ways.push_back({fmt::format("See it: {}###see it", view->tab), "Enter", [&] { event.see = true; },
                        ImGuiKey_None, ButtonStyle::primary});
    }
    if (const Lesson* lesson = frame.course->course.lesson(term.lesson))
    {
        ways.push_back(
            {fmt::format("Lesson: {}###its lesson", lesson->title), "Alt L", [&] { event.lesson = true; }});
    }
    sheet.buttons(ways);
    sheet.gap(ways.empty() ? 0 : 16);
}

void draw_related(const Frame& frame, Sheet& sheet, const GlossaryTerm& term, GlossaryEvent& event)
{
    std::vector<KeyButton> related;
    for (std::size_t i = 0; i < term.related.size(); ++i)
    {
        if (const GlossaryTerm* other = find_term(frame.course->course.glossary, term.related[i]))
        {
            related.push_back(term_button(*other, "related", std::to_string(i + 1), event));
        }
    }
    if (!related.empty())
    {
        sheet.heading("Related", "with Alt", Type::small_strong);
        sheet.buttons(related);
    }
}

GlossaryEvent draw_term(const Frame& frame, const Painter& p, Rect area, const GlossaryTerm& term)
{
    GlossaryEvent event;
    area.w = std::min(area.w, p.px(kMost));
    ScrolledSheet sheet(p, area, "###word on show", term.id);
    const bool room = p.width(Type::display, term.term) <= sheet->width();
    sheet->words(room ? Type::display : Type::title, p.theme.text, term.term);
    sheet->note(fmt::format("{}", fmt::join(term.also, "  \u00b7  ")));
    sheet->gap(16);
    sheet->words(sheet->width() >= p.px(kWide) ? Type::body : Type::small, p.theme.text, term.text);
    sheet->gap(16);
    if (!term.formula.empty())
    {
        sheet->boxed(p.theme.control, p.theme.control, 0, 12, [&](Sheet& in) { in.figures(term.formula); });
        sheet->gap(8);
    }
    sheet->note(term.source);
    sheet->gap(16);
    draw_ways(frame, *sheet, term, event);
    draw_related(frame, *sheet, term, event);
    return event;
}

// Nothing fits what was typed: the nearest terms instead.
GlossaryEvent draw_nearest(const Painter& p, Rect area, std::string_view query,
                           std::span<const GlossaryTerm> terms)
{
    GlossaryEvent event;
    Sheet sheet(p, area);
    sheet.gap(8);
    sheet.title(fmt::format("No word fits \u201c{}\u201d", query));
    sheet.gap(8);
    sheet.note("The nearest ones; Esc clears what was typed.");
    sheet.gap(16);
    std::vector<KeyButton> near;
    for (const std::size_t i : nearest_terms(terms, query, kNear))
    {
        near.push_back(term_button(terms[i], "near", "", event));
    }
    sheet.buttons(near);
    return event;
}

constexpr std::size_t kLately = 8; // words looked at before
constexpr std::size_t kLettersInARow = 7;

class GlossaryView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool about_scenario() const override { return false; }
    std::vector<std::string> facts(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void on_keys(const Frame& frame, Out& out) override;
    void typing_keys(const Frame& frame, Out& out) override;
    void show(std::string_view id) override { asked_ = id; }

private:
    static std::span<const GlossaryTerm> terms(const Frame& frame);
    const GlossaryTerm* chosen(const Frame& frame) const;
    void search(const Frame& frame);
    void go_to(const Frame& frame, std::string_view id);
    void act(const Frame& frame, const GlossaryEvent& event, Out& out);
    void draw_letters(const Frame& frame, Sheet& sheet, Out& out);
    void draw_lately(const Frame& frame, Sheet& sheet, Out& out);

    ListDetail list_{{"words", "Type a word", true}};
    std::vector<std::size_t> found_;   // in the terms, the closest first
    std::string searched_;             // what was found last
    const GlossaryTerm* of_ = nullptr; // the first of the terms it was found in
    std::string asked_;                // id of a term to show at the next draw; empty: none
    std::vector<std::string> lately_;  // ids, the newest first
    int drawn_ = -2;                   // ImGui's frame
};

std::span<const GlossaryTerm> GlossaryView::terms(const Frame& frame)
{
    return frame.course == nullptr ? std::span<const GlossaryTerm>() : frame.course->course.glossary;
}

const GlossaryTerm* GlossaryView::chosen(const Frame& frame) const
{
    return list_.at() < found_.size() ? &terms(frame)[found_[list_.at()]] : nullptr;
}

// While something is typed the closest is chosen, not the one from before.
void GlossaryView::search(const Frame& frame)
{
    const bool typed = searched_ != list_.query();
    if (!typed && std::exchange(of_, terms(frame).data()) == terms(frame).data())
    {
        return;
    }
    searched_ = list_.query();
    found_ = search_terms(terms(frame), searched_);
    std::vector<ListRow> rows;
    for (const std::size_t i : found_)
    {
        const GlossaryTerm& term = terms(frame)[i];
        rows.push_back({term.id, fmt::format("{}###word {}", term.term, term.id),
                        searched_.empty() ? initial_of(term) : std::string()});
    }
    list_.list(std::move(rows), typed && !searched_.empty());
}

// Also to one that what is typed does not let through.
void GlossaryView::go_to(const Frame& frame, std::string_view id)
{
    const GlossaryTerm* from = chosen(frame);
    if (drawn_ >= 0 && from != nullptr && from->id != id) // not the first of all, which nobody chose
    {
        std::erase(lately_, from->id);
        lately_.insert(lately_.begin(), from->id);
        lately_.resize(std::min(lately_.size(), kLately));
    }
    list_.choose(id);
    if (std::ranges::none_of(found_, [&](std::size_t i) { return terms(frame)[i].id == id; }))
    {
        list_.clear();
        search(frame);
    }
    list_.find();
    list_.show_detail();
}

void GlossaryView::act(const Frame& frame, const GlossaryEvent& event, Out& out)
{
    const GlossaryTerm* term = chosen(frame);
    if (!event.term.empty())
    {
        go_to(frame, event.term);
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
    const GlossaryTerm* term = chosen(frame);
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
            list_.place()};
}

// With one of its other names, where there is room.
void draw_word(const Painter& p, Rect row, const GlossaryTerm& term, bool chosen, bool hovered)
{
    list_row(p, row, chosen, hovered);
    row = {row.x + p.px(14), row.y, row.w - p.px(22), row.h};
    row.cut_left(p.text_within(row.x, row.middle(), row.w, chosen ? Type::small_strong : Type::small,
                               p.theme.text, term.term) +
                 p.px(12));
    if (!term.also.empty() && p.width(Type::small, term.also.front()) <= row.w)
    {
        p.text(row.right(), row.middle(), Type::small, p.theme.muted, term.also.front(), Align::right);
    }
}

void turn_to_neighbour(int direction, Out& out)
{
    const auto all = views();
    const auto at = std::ranges::find(all, "glossary", &ViewInfo::id) - all.begin();
    const auto count = std::ssize(all);
    out.push(OpenView{std::string(all[static_cast<std::size_t>((at + direction + count) % count)]->id)});
}

void GlossaryView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    search(frame);
    if (terms(frame).empty())
    {
        empty_state(p, area, "No glossary found in study/glossary.json of the assets",
                    "Start with --assets DIR or set RINGSIDE_ASSETS to a folder that has one; ringside "
                    "check names what is wrong in a file.");
        return;
    }
    if (drawn_ < 0 && asked_.empty())
    {
        list_.choose("all-reduce"); // the first of all is not the one to begin with
    }
    if (!asked_.empty())
    {
        go_to(frame, std::exchange(asked_, {}));
    }
    if (ImGui::GetFrameCount() > drawn_ + 1)
    {
        list_.find(); // just opened: what is typed is searched
    }
    drawn_ = ImGui::GetFrameCount();
    ListParts parts;
    parts.row = [&](const Painter& in, Rect row, std::size_t i, bool chosen, bool hovered)
    { draw_word(in, row, terms(frame)[found_[i]], chosen, hovered); };
    parts.detail = [&](Rect detail)
    {
        const GlossaryTerm* term = chosen(frame);
        act(frame,
            term != nullptr ? draw_term(frame, p, detail, *term)
                            : draw_nearest(p, detail, list_.query(), terms(frame)),
            out);
    };
    const ListEvent event = list_.draw(p, area, frame.preferences.presenter, parts);
    out.animating = out.animating || event.changed;
    act(frame, {"", event.entered, false}, out);
    if (event.bracket != 0)
    {
        turn_to_neighbour(event.bracket, out);
    }
}

// A letter each, to jump to its first word.
void GlossaryView::draw_letters(const Frame& frame, Sheet& sheet, Out& out)
{
    std::vector<const GlossaryTerm*> firsts;
    for (const GlossaryTerm& term : terms(frame))
    {
        if (firsts.empty() || initial_of(*firsts.back()) != initial_of(term))
        {
            firsts.push_back(&term);
        }
    }
    const GlossaryTerm* on = chosen(frame);
    const auto cell = [&](std::size_t i, Rect r)
    {
        const Painter& p = sheet.p;
        const std::string letter = initial_of(*firsts[i]);
        const bool here = on != nullptr && initial_of(*on) == letter;
        const Press pressed = press(p, r, ("###letter " + letter).c_str(), 4);
        p.fill(r, here || pressed.hovered ? p.theme.raised : p.theme.control, p.px(4));
        p.text(r.centre(), r.middle(), here ? Type::small_strong : Type::small, p.theme.text, letter,
               Align::centre);
        if (pressed.clicked)
        {
            list_.clear();
            go_to(frame, firsts[i]->id);
            out.animating = true;
        }
    };
    sheet.grid(firsts.size(), 24, 26, 4, cell, kLettersInARow);
    sheet.gap(12);
}

void GlossaryView::draw_lately(const Frame& frame, Sheet& sheet, Out& out)
{
    const auto ids = lately_; // pressing one changes them
    for (const std::string& id : ids)
    {
        const GlossaryTerm* term = find_term(terms(frame), id);
        if (term != nullptr &&
            list_line(sheet.p, sheet.row(28),
                      {fmt::format("{}###lately {}", term->term, id), "", false, sheet.p.theme.muted}))
        {
            go_to(frame, id);
            out.animating = true;
        }
    }
}

bool GlossaryView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    search(frame);
    if (terms(frame).empty())
    {
        return true;
    }
    Sheet sheet(p, area);
    sheet.heading("From A to Z", "", Type::small_strong);
    draw_letters(frame, sheet, out);
    if (!lately_.empty())
    {
        sheet.heading("Looked at before", "", Type::small_strong);
        draw_lately(frame, sheet, out);
    }
    return true;
}

// Those that a field leaves alone.
void GlossaryView::typing_keys(const Frame& frame, Out& out)
{
    const GlossaryTerm* term = chosen(frame);
    if (term == nullptr || !ImGui::GetIO().KeyAlt)
    {
        return;
    }
    GlossaryEvent event;
    event.lesson = ImGui::IsKeyPressed(ImGuiKey_L, false);
    if (const auto digit = digit_pressed(term->related.size()))
    {
        event.term = term->related[*digit];
    }
    act(frame, event, out);
}

void GlossaryView::on_keys(const Frame& frame, Out& out)
{
    out.animating = list_.keys() || out.animating;
    View::on_keys(frame, out);
}

ViewKeys GlossaryView::keys()
{
    const auto see = [this](const KeyPress& k) {
        act(k.frame, {"", list_.keyboard_is_free(), false}, k.out);
    };
    return {{"type", "Search: names first, then definitions"},
            {"\u2191 \u2193", "Choose a term; page keys move by ten"},
            {"Enter", "See it: the view that shows the term", see},
            {"Alt L", "The lesson about it"},
            {"Alt 1 \u2026 9", "A related word"},
            {"Esc", "Clear; again: leave the field"},
            {"F", "Back into the field", [this] { list_.find(); }}};
}

} // namespace

extern const ViewInfo glossary_view{
    70,
    "glossary",
    ViewGroup::study,
    "Glossary",
    "Glossary",
    "Every term with its meaning, formula, source, and the view where it is seen",
    {},
    make_view<GlossaryView>};

} // namespace ringside
