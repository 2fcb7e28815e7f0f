#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/study/study/parts.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringside
{

namespace
{

// One block a question, filled for those known, with the pass mark.
void draw_blocks(const Painter& p, Rect row, const Gauge& gauge)
{
    const Theme& t = p.theme;
    const auto count = static_cast<float>(gauge.total);
    const float step = row.w / count;
    const float gap = std::max(1.0F, std::round(step * 0.12F));
    for (int i = 0; i < gauge.total; ++i)
    {
        const float x = row.x + step * static_cast<float>(i);
        p.fill({x, row.y, step - gap, row.h}, i < gauge.known ? t.text : t.raised);
    }
    const float mark = row.x + step * static_cast<float>(gauge.pass) - gap / 2;
    const float beyond = p.px(6);
    if (gauge.ready())
    {
        p.line(mark, row.y - beyond, mark, row.bottom() + beyond, t.panel, p.px(6));
    }
    p.line(mark, row.y - beyond, mark, row.bottom() + beyond, t.text, p.px(2));
}

void draw_gauge(Sheet& sheet, const Gauge& gauge)
{
    const Painter& p = sheet.p;
    sheet.heading(gauge.band->name, fmt::format("{} / {}", gauge.known, gauge.total));
    sheet.note(fmt::format("core questions {} to {}, known at 90%", gauge.band->first, gauge.band->last));
    sheet.gap(10);
    draw_blocks(p, sheet.row(20), gauge);
    sheet.gap(4);
    const std::string words = gauge.ready() ? "ready" : fmt::format("{} to go", gauge.pass - gauge.known);
    const float middle = sheet.y() + p.px(15);
    sheet.heading(words, fmt::format("ready at {}", gauge.pass), Type::small_strong);
    if (gauge.ready())
    {
        p.tick(sheet.x() + p.width(Type::small_strong, words) + p.px(10), middle, p.theme.ok);
    }
}

void draw_forecast(Sheet& sheet, const StudyFrame& study)
{
    const Painter& p = sheet.p;
    const auto& due = study.forecast;
    const auto last = static_cast<double>(due.size()) - 1;
    const double most = std::max(1, *std::ranges::max_element(due));
    const int all = std::accumulate(due.begin(), due.end(), 0);
    const auto day = [&](double i) { return i < 1 ? "today" : date_short(study.now.day() + std::lround(i)); };
    sheet.heading("Next 14 days", fmt::format("{} in all", grouped(all)));
    const Plot plot(p, sheet.row(118), {-0.5, last + 0.5, PlotScale::linear, "", day, {0, last}},
                    {0, most, PlotScale::linear, "reviews per day", say_whole, {0, most}});
    for (std::size_t i = 0; plot && i < due.size(); ++i)
    {
        const auto at = static_cast<double>(i);
        p.fill(plot.rect(at - 0.4, at + 0.4, 0, due[i]), i == 0 ? p.theme.text : p.theme.muted);
    }
}

std::string skill_words(const StudyFrame& study)
{
    int sum = 0;
    int judged = 0;
    for (const Skill& skill : study.plan->skills)
    {
        const auto score = skill_score(*study.progress, skill.id);
        sum += score.value_or(0);
        judged += score ? 1 : 0;
    }
    return judged == 0 ? "Self-assessment"
                       : fmt::format("Skills: {:.1f} of 5", static_cast<double>(sum) / judged);
}

} // namespace

std::optional<StudyPopups::Which> draw_study_panel(const Painter& p, Rect area, const StudyFrame& study)
{
    using Which = StudyPopups::Which;
    Sheet sheet(p, area);
    sheet.heading("Ready for the interview");
    sheet.gap(4);
    for (const Gauge& gauge : study.gauges)
    {
        draw_gauge(sheet, gauge);
        sheet.gap(10);
    }
    sheet.rule(0, 8);
    draw_forecast(sheet, study);
    sheet.gap(12);
    const std::string date = study.has_interview() ? fmt::format("Interview: {}###interview",
                                                                 date_short(*study.progress->interview))
                                                   : std::string("Set interview date###interview");
    const bool interview = sheet.button(date.c_str(), "I", ButtonStyle::plain);
    sheet.gap(8);
    const bool skills = sheet.button((skill_words(study) + "###skills").c_str(), "A", ButtonStyle::plain);
    return interview ? std::optional(Which::interview) : skills ? std::optional(Which::skills) : std::nullopt;
}

} // namespace ringside
