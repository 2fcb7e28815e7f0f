#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/study/drill/parts.h"
#include "ui/views/study/drill/session.h"

namespace ringside
{

namespace
{

std::string target_words(double seconds)
{
    return seconds < 120 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

std::string sentence(const StudyFrame& study, const DrillItem& item, DrillStage stage)
{
    const Question& q = *study.question;
    if (stage == DrillStage::asking)
    {
        return fmt::format("**{}**: {}.", q.title,
                           item.card.target_s > 0
                               ? fmt::format("target time {}", target_words(item.card.target_s))
                               : "take your time");
    }
    const std::string answer = short_answer(q);
    const std::string_view stop = q.title.ends_with('?') ? "" : answer.empty() ? "." : ":";
    return answer.empty() ? fmt::format("**{}**{}", q.title, stop)
                          : fmt::format("{}{} **{}**.", q.title, stop, answer);
}

} // namespace

std::string view_name(std::string_view id)
{
    const ViewInfo* info = find_view(id);
    return info == nullptr ? std::string(id) : std::string(info->tab);
}

std::string drill_title(const StudyFrame& study, const DrillSession* drill)
{
    if (drill == nullptr)
    {
        return {};
    }
    if (drill->stage == DrillStage::over)
    {
        return drill->items.size() == 1 ? "One question" : "The drill is over";
    }
    if (!study.came_from.empty())
    {
        return fmt::format("Quiz: {}", view_name(study.came_from));
    }
    const StudyTopic* topic = study.question == nullptr ? nullptr : find_topic(study.question->topic);
    return fmt::format("Drill{}", topic == nullptr ? "" : fmt::format(": {}", topic->name));
}

std::string reading_words(const Question& q, const Verdict* verdict)
{
    std::string words;
    const auto add = [&](const std::string& part) { words += (words.empty() ? "" : "; ") + part; };
    if (verdict != nullptr && !verdict->read_as.empty())
    {
        add("read as " + verdict->read_as);
    }
    if (verdict != nullptr && !verdict->nearest.empty())
    {
        add("closest known mistake " + verdict->nearest);
    }
    if (q.kind == QuestionKind::numeric)
    {
        add(q.tolerance > 0 ? "tolerance " + format_percent(q.tolerance) : "an exact whole number");
    }
    return words;
}

Caption drill_caption(const StudyFrame& study, const DrillSession* drill)
{
    if (drill == nullptr || drill->stage == DrillStage::over)
    {
        return {study.families.empty() ? "There are **no questions** to ask."
                                       : fmt::format("**{}** due, {} never asked. Each is asked with new "
                                                     "numbers each time, and of one family one a day.",
                                                     study.due, study.fresh),
                "due first, least remembered first; then new ones, easy before hard", ""};
    }
    if (study.question == nullptr)
    {
        return {"This question could not be made.", study.fault, ""};
    }
    return {sentence(study, drill->items[drill->at], drill->stage),
            reading_words(*study.question, study.verdict), ""};
}

std::vector<std::string> drill_facts(const StudyFrame& study, const DrillSession& drill)
{
    const DrillItem& item = drill.items[drill.at];
    std::vector<std::string> facts{fmt::format("Question {} of {}", drill.at + 1, drill.items.size()),
                                   fmt::format("streak {}", drill.streak)};
    const bool asking = drill.stage == DrillStage::asking;
    facts.push_back(drill.paused_ms
                        ? "paused"
                        : clock_words(asking ? seconds_on_show(drill, study.now.ms) : item.attempt.seconds));
    facts.push_back(study.saved ? "Esc leaves, nothing is lost" : "\u2717 progress not saved");
    return facts;
}

} // namespace ringside
