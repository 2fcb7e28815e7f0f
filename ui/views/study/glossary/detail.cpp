#include "ui/views/study/glossary/detail.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ui/shell/lesson_frame.h"
#include "ui/widgets/sheet.h"

#include <algorithm>

namespace ringside
{

namespace
{

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

} // namespace

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

} // namespace ringside
