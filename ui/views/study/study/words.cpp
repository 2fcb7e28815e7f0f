#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/study/study/parts.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringside
{

namespace
{

int topics_due(const StudyFrame& study)
{
    return static_cast<int>(std::count_if(study.heat.begin(), study.heat.end(),
                                          [](const HeatTopic& t) { return t.all.due > 0; }));
}

// Each variant of a family is one.
std::ptrdiff_t questions_in(const StudyFrame& study)
{
    std::ptrdiff_t all = 0;
    for (const FamilyInfo& family : study.families)
    {
        all += std::max<std::ptrdiff_t>(1, std::ssize(family.variants));
    }
    return all;
}

std::string sentence(const StudyFrame& study)
{
    if (study.families.empty())
    {
        return "There are **no questions** to study.";
    }
    if (study.weakest.empty())
    {
        return fmt::format("Nothing was asked yet: **{}**, the easy ones first.",
                           counted(study.fresh, "new question"));
    }
    std::vector<std::string_view> names;
    for (const std::size_t i : study.weakest)
    {
        names.push_back(study.heat[i].topic->name);
    }
    int seen = 0;
    int right = 0;
    for (const HeatTopic& topic : study.heat)
    {
        seen += topic.all.seen;
        right += topic.all.right;
    }
    return fmt::format("**{} of {}** seen were right at the first try; {} questions in all. Weakest: **{}**.",
                       right, counted(seen, "question"), questions_in(study), fmt::join(names, ", "));
}

} // namespace

std::string whole_percent(double share)
{
    return fmt::format("{}%", std::lround(share * 100));
}

std::string study_title(const StudyFrame& study)
{
    return study.has_interview() ? fmt::format("Study plan until {}", date_short(*study.progress->interview))
                                 : "Study plan";
}

Caption study_caption(const StudyFrame& study)
{
    const FsrsWeights& w = study.progress->weights;
    return {
        sentence(study),
        fmt::format("recall R(t, S) = (1 + {:.3f} t / S)^\u2212{:.3f}, S days after which R = 90%",
                    recall_factor(w), w[20]),
        "FSRS-6: recall R after t days; the stability S of a question is the days until R = 90%. A topic's "
        "is the mean over its questions seen so far. Open Spaced Repetition, py-fsrs 6 and fsrs-rs."};
}

std::vector<std::string> study_facts(const StudyFrame& study)
{
    std::vector<std::string> facts;
    if (study.has_interview())
    {
        const StudyDay left = *study.progress->interview - study.now.day();
        facts.push_back(left == 0 ? "interview today" : fmt::format("interview in {} d", left));
    }
    facts.push_back(fmt::format("{} due", counted(topics_due(study), "topic")));
    facts.push_back(counted(questions_in(study), "question"));
    if (!study.leeches.empty())
    {
        facts.push_back(fmt::format("{} (L)", counted(std::ssize(study.leeches), "leech")));
    }
    if (!study.progress->reviews.empty())
    {
        facts.emplace_back(study.saved ? "progress saved" : "\u2717 progress not saved");
    }
    return facts;
}

std::string session_words(const StudyFrame& study)
{
    if (!is_running(*study.session))
    {
        return {};
    }
    if (const auto* drill = std::get_if<DrillSession>(study.session))
    {
        const auto answered = std::count_if(drill->items.begin(), drill->items.end(),
                                            [](const DrillItem& i) { return !!i.given; });
        return fmt::format("A drill is in progress: {} of {} answered.", answered, drill->items.size());
    }
    if (const auto* mock = std::get_if<MockSession>(study.session))
    {
        const auto answered = std::count_if(mock->items.begin(), mock->items.end(),
                                            [](const MockItem& i) { return i.answered(); });
        return fmt::format("A mock interview is in progress: {} of {} answered, {} left.", answered,
                           mock->items.size(), wait_words(mock->left_ms()));
    }
    return "A spoken answer is in progress.";
}

std::string_view session_view(const StudyFrame& study)
{
    std::string_view id = std::holds_alternative<DrillSession>(*study.session)  ? "drill"
                          : std::holds_alternative<MockSession>(*study.session) ? "mock"
                                                                                : "spoken";
    return find_view(id) == nullptr ? std::string_view() : id;
}

std::string mission_words(const StudyFrame& study)
{
    const std::string first = study.due > 0     ? counted(study.due, "due question") + " first"
                              : study.fresh > 0 ? "new questions first"
                                                : "nothing is due";
    if (study.mission.mission == nullptr)
    {
        return fmt::format("Today: {}.", first);
    }
    const Mission& m = *study.mission.mission;
    const std::string words =
        fmt::format("Day {} of the plan: {}, then \u201c{}\u201d with {} of {} done.", study.mission.day,
                    first, m.title, study.mission.done, counted(std::ssize(m.tasks), "task"));
    const int earlier = study.mission.earlier_open;
    return earlier == 0 ? words
                        : fmt::format("{} {} from before.", words,
                                      counted(earlier, "task") + (earlier == 1 ? " is open" : " are open"));
}

std::string kind_words(const PlanTask& task)
{
    constexpr std::array<std::string_view, 6> kWords{"drill",          "weakest", "spoken",
                                                     "mock interview", "look",    "on paper"};
    return fmt::format("{}, {} min", kWords[static_cast<std::size_t>(task.kind)], task.minutes);
}

namespace
{

// A bar of all questions, filled bright for those known and pale for those only seen, with the pass mark.
void draw_bar(const Painter& p, Rect row, const Gauge& gauge)
{
    const Theme& t = p.theme;
    const float step = row.w / static_cast<float>(std::max(1, gauge.total));
    const auto fill = [&](int count, Colour colour) {
        p.fill({row.x, row.y, step * static_cast<float>(count), row.h}, colour);
    };
    fill(gauge.total, t.raised);
    fill(gauge.seen, t.muted);
    fill(gauge.known, t.text);
    const float mark = row.x + step * static_cast<float>(gauge.pass);
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
    sheet.heading(gauge.band->name);
    sheet.gap(4);
    draw_bar(p, sheet.row(14), gauge);
    sheet.gap(4);
    const std::string words =
        gauge.ready() ? std::string("ready") : fmt::format("{} to go", gauge.pass - gauge.known);
    const std::string so_far = gauge.seen > gauge.known
                                   ? fmt::format("{} seen, {} known", gauge.seen, gauge.known)
                                   : fmt::format("{} / {}", gauge.known, gauge.total);
    const float middle = sheet.y() + p.px(15);
    sheet.heading(words, so_far, Type::small_strong);
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
    sheet.note(
        "Known: right at the first try, seen a day ago or more, remembered with 90%. The line: ready.");
    for (const Gauge& gauge : study.gauges)
    {
        sheet.gap(8);
        draw_gauge(sheet, gauge);
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
