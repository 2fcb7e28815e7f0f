#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/draw/scopes.h"
#include "ui/draw/transcript.h"
#include "ui/views/study/drill/parts.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/scrolled_sheet.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside
{

namespace
{

// What went wrong is hatched and what was skipped underlined, so that it is not colour alone.
void draw_place(const Painter& p, Rect r, Pip pip, bool here, bool hovered, const std::string& number)
{
    const Theme& t = p.theme;
    const bool filled = pip == Pip::passed;
    const float w = p.width(Type::mono_small, number);
    const bool numbered = w < r.w + p.px(4);
    p.fill(r, filled ? t.text : hovered ? t.raised : t.control, p.px(4));
    if (pip == Pip::failed)
    {
        p.hatch(r, t.warning, kExposedHatch);
        const float room = numbered ? w + p.px(6) : 0;
        p.fill({r.centre() - room / 2, r.y + p.px(3), room, r.h - p.px(6)}, t.window, p.px(2));
    }
    p.outline(here ? r.inset(-p.px(3)) : r, here ? t.text : t.line, here ? p.px(2) : 1, p.px(4));
    p.text(r.centre(), r.middle(), Type::mono_small,
           filled                ? t.window
           : pip == Pip::skipped ? t.muted
                                 : t.text,
           numbered ? number : "", Align::centre);
    if (pip == Pip::skipped)
    {
        p.dashed(r.x + p.px(4), r.bottom() - p.px(4), r.right() - p.px(4), r.bottom() - p.px(4), t.muted,
                 p.px(1.5F));
    }
}

std::string verdict_words(const Verdict& v)
{
    if (v.correct || v.nearest.empty())
    {
        return v.correct ? "Right." : "Not yet.";
    }
    std::string mistake = v.mistake;
    std::ranges::replace(mistake, '-', ' ');
    return fmt::format("Not yet. That matches a common mistake: {}.", mistake);
}

void draw_places(const Painter& p, Rect row, const QuestionPlaces& places)
{
    const float words = p.width(Type::small, places.right);
    if (words + p.px(80) < row.w)
    {
        p.text(row.right(), row.middle(), Type::small, p.theme.muted, places.right, Align::right);
        row.cut_right(words + p.px(16));
    }
    const auto count = static_cast<float>(std::max<std::size_t>(1, places.pips.size()));
    const float step = std::min(p.px(40), (row.w - p.px(6)) / count);
    const float size = std::min(step - std::min(p.px(8), step * 0.25F), p.px(28));
    const float high = std::min(p.px(28), row.h - p.px(8));
    for (std::size_t i = 0; i < places.pips.size(); ++i)
    {
        const IdScope id(static_cast<int>(i));
        const Rect r{row.x + p.px(3) + step * static_cast<float>(i), row.middle() - high / 2, size, high};
        const Press here = places.go_to ? press(p, r, "###place", 4) : Press{};
        draw_place(p, r, places.pips[i], places.at == i, here.hovered, std::to_string(i + 1));
        if (here.clicked)
        {
            places.go_to(i);
        }
    }
}

} // namespace

void draw_page(const Painter& p, Rect area, const QuestionPage& page)
{
    keep_keys();
    draw_places(p, area.cut_top(p.px(30)), page.places);
    area.cut_top(p.px(4));
    if (page.foot && area.h > p.px(120))
    {
        area.cut_bottom(p.px(8));
        page.foot(area.cut_bottom(p.px(40)));
        area.cut_bottom(p.px(8));
    }
    if (page.study.question == nullptr)
    {
        draw_no_question(p, area, page.study, page.skip ? "Skip###skip" : nullptr) ? page.skip() : void();
    }
    else if (page.paused)
    {
        empty_state(p, area, "Paused", "The clock is paused and the question is hidden.", "Resume###go on",
                    "T")
            ? page.resume()
            : void();
    }
    else
    {
        ScrolledSheet sheet(p, area, "###sheet", page.about);
        sheet.page_keys();
        page.question(*sheet);
    }
}

bool enter_pressed(bool or_space)
{
    return ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false) ||
           (or_space && ImGui::IsKeyPressed(ImGuiKey_Space, false));
}

void draw_verdict(Sheet& sheet, const Verdict& v, std::string_view right)
{
    const Theme& t = sheet.p.theme;
    read_aloud(sheet.p.look, std::string(verdict_words(v)) + ". " + v.message);
    const Rect box = sheet.boxed(t.control, v.correct ? t.line : t.warning, 1, 14,
                                 [&](Sheet& in)
                                 {
                                     in.name(verdict_words(v));
                                     in.text(v.message);
                                     in.note(right);
                                 });
    sheet.p.fill({box.x, box.y, sheet.p.px(8), box.h}, v.correct ? t.text : t.warning);
    sheet.gap(12);
}

bool draw_no_questions(const Painter& p, Rect area, const StudyFrame& study)
{
    if (study.families.empty())
    {
        empty_state(
            p, area,
            fmt::format("No questions found in {}", study.questions.empty() ? "the assets" : study.questions),
            "Start with --assets DIR or set RINGSIDE_ASSETS to a folder that has them. What was studied "
            "before is kept; X in Topics exports it, or takes in an Anki text file from the clipboard.");
    }
    return study.families.empty();
}

bool draw_no_question(const Painter& p, Rect area, const StudyFrame& study, const char* label)
{
    return empty_state(p, area, "This question could not be made", study.fault, label, "Tab");
}

void keep_keys()
{
    const ImGuiID own = ImGui::GetID("###question keys");
    for (const ImGuiKey key : {ImGuiKey_Tab, ImGuiKey_UpArrow, ImGuiKey_DownArrow})
    {
        ImGui::SetKeyOwner(key, own);
    }
}

std::string clock_words(double seconds)
{
    const auto s = std::lround(std::floor(std::max(0.0, seconds)));
    return fmt::format("{:02}:{:02}", s / 60, s % 60);
}

namespace
{

// From the least to the most that is drawn, with both written at its ends; a single value gets room above it.
PlotAxis axis_over(std::vector<double> values, bool log_scale)
{
    std::erase_if(values, [=](double v) { return !std::isfinite(v) || (log_scale && v <= 0); });
    const auto [least, most] =
        values.empty() ? std::ranges::minmax_result<double>{1.0, 1.0} : std::ranges::minmax(values);
    const double high = most > least ? most : log_scale ? least * 10 : least + 1;
    return {least, high, log_scale ? PlotScale::log : PlotScale::linear, "", three_digits, {least, high}};
}

// A few values over ranks are bars, a course over time is a line.
void draw_series(Sheet& sheet, const EvidenceSeries& s, const std::string& x_unit, float height)
{
    const Painter& p = sheet.p;
    const bool bars = s.y.size() <= 64 && x_unit.find("rank") != std::string::npos;
    PlotAxis x = axis_over(s.x, false);
    PlotAxis y = axis_over(s.y, s.log_scale);
    x.title = x_unit;
    if (bars)
    {
        const double most = std::max(y.high, 1e-12);
        x = {x.low - 0.5, x.high + 0.5, x.scale, x_unit, x.words, x.ticks};
        y = {0, most, PlotScale::linear, "", y.words, {0, most}};
    }
    const std::string title =
        fmt::format("{}{}{}", s.name, s.y_unit.empty() ? "" : ", " + s.y_unit, s.log_scale ? ", log" : "");
    Plot plot(p, sheet.row(height + 76), x, y, {.title = title});
    std::vector<PlotPoint> points;
    for (std::size_t i = 0; plot && i < std::min(s.x.size(), s.y.size()); ++i)
    {
        points.push_back({s.x[i], s.log_scale ? std::max(s.y[i], y.low) : s.y[i]});
        if (bars && std::isfinite(s.y[i]))
        {
            p.fill(plot.rect(s.x[i] - 0.4, s.x[i] + 0.4, 0, s.y[i]), mix(p.theme.text, p.theme.window, 0.3F));
        }
    }
    if (!bars)
    {
        plot.line(points, {p.theme.text, 1.6F});
    }
    sheet.gap(4);
}

// Lanes under each other over one time; `end` is the last of all blocks.
void draw_lane(Sheet& sheet, const EvidenceSeries& lane, const std::string& x_unit, double end, bool last)
{
    const Painter& p = sheet.p;
    PlotAxis x{0, end, PlotScale::linear, last ? x_unit : "", three_digits, {0, end}};
    PlotAxis y{0, 1, PlotScale::linear, "", [](double) { return std::string(); }, {}};
    Plot plot(p, sheet.row(96), x, y, {.title = lane.name});
    for (std::size_t i = 0; plot && i < std::min(lane.x.size(), lane.y.size()); ++i)
    {
        p.fill(plot.rect(lane.x[i], lane.y[i], 0.05, 0.95), mix(p.theme.text, p.theme.window, 0.3F));
    }
    sheet.gap(4);
}

} // namespace

std::string kind_of_question(const Question& question)
{
    return fmt::format("{}, {}", name_of(question.kind), name_of(question.difficulty));
}

void draw_stem(Sheet& sheet, const Question& q, std::string_view lead, bool quiet)
{
    constexpr std::size_t kLong = 220; // characters
    sheet.words(Type::small_strong, sheet.p.theme.muted, lead);
    sheet.gap(lead.empty() ? 0 : 6);
    quiet || q.stem.size() > kLong ? sheet.name(q.stem) : sheet.title(q.stem);
    sheet.gap(q.note.empty() ? 0 : quiet ? 6 : 10);
    sheet.note(q.note);
    sheet.gap(quiet ? 12 : 16);
    draw_evidence(sheet, q.evidence);
}

void draw_evidence(Sheet& sheet, const Evidence& evidence)
{
    const float height = evidence.series.size() > 1 ? 84 : 120;
    double end = 0;
    for (const EvidenceSeries& s : evidence.series)
    {
        end = s.lane && !s.y.empty() ? std::max(end, std::ranges::max(s.y)) : end;
    }
    for (const EvidenceSeries& s : evidence.series)
    {
        s.lane ? draw_lane(sheet, s, evidence.x_unit, end, &s == &evidence.series.back())
               : draw_series(sheet, s, evidence.x_unit, height);
    }
    if (!evidence.lines.empty())
    {
        const auto log = [&](Sheet& in)
        { std::ranges::for_each(evidence.lines, [&](auto& line) { in.figures(line); }); };
        sheet.boxed(sheet.p.theme.panel, sheet.p.theme.line, 1, 12, log);
    }
    sheet.gap(evidence.series.empty() && evidence.lines.empty() ? 0 : 12);
}

} // namespace ringside
