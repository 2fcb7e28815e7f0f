#include "ui/views/study/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"

#include <algorithm>
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

void draw_gauge(const Painter& p, Rect area, const Gauge& gauge)
{
    const Theme& t = p.theme;
    Rect row = area.cut_top(p.px(26));
    const std::string score = fmt::format("{} / {}", gauge.known, gauge.total);
    const float w = p.width(Type::mono, score);
    p.text_within(row.x, row.middle(), row.w - w - p.px(8), Type::body_strong, t.text, gauge.band->name);
    p.text(row.right(), row.middle(), Type::mono, t.text, score, Align::right);
    row = area.cut_top(p.px(22));
    p.text_within(row.x, row.middle(), row.w, Type::small, t.muted,
                  fmt::format("questions {} to {}", gauge.band->first, gauge.band->last));
    area.cut_top(p.px(10));
    draw_blocks(p, area.cut_top(p.px(20)), gauge);
    area.cut_top(p.px(8));
    row = area.cut_top(p.px(22));
    const std::string words = gauge.ready() ? "ready" : fmt::format("{} to go", gauge.pass - gauge.known);
    const float used = p.text(row.x, row.middle(), Type::small_strong, t.text, words);
    if (gauge.ready())
    {
        p.tick(row.x + used + p.px(10), row.middle(), t.ok);
    }
    p.text(row.right(), row.middle(), Type::small, t.muted, fmt::format("ready at {}", gauge.pass),
           Align::right);
}

void draw_forecast(const Painter& p, Rect area, const StudyFrame& study)
{
    const Theme& t = p.theme;
    Rect row = area.cut_top(p.px(28));
    p.text(row.x, row.middle(), Type::body_strong, t.text, "Next 14 days");
    area.cut_top(p.px(8));
    const Rect bars = area.cut_top(p.px(76));
    const int most = std::max(1, *std::max_element(study.forecast.begin(), study.forecast.end()));
    const float step = bars.w / static_cast<float>(study.forecast.size());
    for (std::size_t i = 0; i < study.forecast.size(); ++i)
    {
        const float h = bars.h * static_cast<float>(study.forecast[i]) / static_cast<float>(most);
        const Rect bar{bars.x + step * static_cast<float>(i), bars.bottom() - h, step - p.px(4), h};
        p.fill(bar, i == 0 ? t.text : t.raised);
    }
    p.line(bars.x, bars.bottom(), bars.right(), bars.bottom(), t.line);
    row = area.cut_top(p.px(26));
    p.text(row.x, row.middle(), Type::small_strong, t.text, fmt::format("today {}", study.forecast.front()));
    p.text(row.right(), row.middle(), Type::small, t.muted,
           date_short(study.now.day() + std::ssize(study.forecast) - 1), Align::right);
    row = area.cut_top(p.px(22));
    const int all = std::accumulate(study.forecast.begin(), study.forecast.end(), 0);
    p.text_within(row.x, row.middle(), row.w, Type::small, t.muted,
                  fmt::format("reviews a day, {} in all", grouped(all)));
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
    return judged == 0 ? "Judge your skills"
                       : fmt::format("Skills: {:.1f} of 5", static_cast<double>(sum) / judged);
}

} // namespace

StudyPanelEvent draw_study_panel(const Painter& p, Rect area, const StudyFrame& study)
{
    StudyPanelEvent event;
    const Theme& t = p.theme;
    Rect row = area.cut_top(p.px(32));
    p.text_within(row.x, row.middle(), row.w, Type::body_strong, t.text, "Ready for the interview");
    area.cut_top(p.px(4));
    for (const Gauge& gauge : study.gauges)
    {
        draw_gauge(p, area.cut_top(p.px(122)), gauge);
    }
    row = area.cut_top(p.px(16));
    p.line(row.x, row.middle(), row.right(), row.middle(), t.grid);
    draw_forecast(p, area.cut_top(p.px(164)), study);
    area.cut_top(p.px(12));
    const std::string date = study.has_interview() ? fmt::format("Interview: {}###interview",
                                                                 date_short(*study.progress->interview))
                                                   : std::string("Set the interview###interview");
    event.interview = button(p, area.cut_top(p.px(36)), date.c_str(), "I");
    area.cut_top(p.px(8));
    event.skills = button(p, area.cut_top(p.px(36)), (skill_words(study) + "###skills").c_str(), "A");
    return event;
}

} // namespace ringside
