#include "core/study/session.h"

namespace ringside
{

std::vector<ProgressChange> apply(StudySession& session, const StudyInput& input, std::int64_t now_ms)
{
    if (auto* drill = std::get_if<DrillSession>(&session))
    {
        const auto* in = std::get_if<DrillInput>(&input);
        return in == nullptr ? std::vector<ProgressChange>{} : apply(*drill, *in, now_ms);
    }
    if (auto* mock = std::get_if<MockSession>(&session))
    {
        const auto* in = std::get_if<MockInput>(&input);
        return in == nullptr ? std::vector<ProgressChange>{} : apply(*mock, *in, now_ms);
    }
    if (auto* spoken = std::get_if<SpokenSession>(&session))
    {
        const auto* in = std::get_if<SpokenInput>(&input);
        return in == nullptr ? std::vector<ProgressChange>{} : apply(*spoken, *in, now_ms);
    }
    return {};
}

bool is_running(const StudySession& session)
{
    const auto* drill = std::get_if<DrillSession>(&session);
    const auto* mock = std::get_if<MockSession>(&session);
    const auto* spoken = std::get_if<SpokenSession>(&session);
    return (drill != nullptr && drill->stage != DrillStage::over) ||
           (mock != nullptr && mock->stage != MockStage::over) ||
           (spoken != nullptr && spoken->stage != SpokenStage::over);
}

const DeckCard* card_on_show(const StudySession& session)
{
    if (const auto* drill = std::get_if<DrillSession>(&session))
    {
        return drill->current() == nullptr ? nullptr : &drill->current()->card;
    }
    if (const auto* mock = std::get_if<MockSession>(&session))
    {
        return mock->items.empty() ? nullptr : &mock->items[mock->at].card;
    }
    const auto* spoken = std::get_if<SpokenSession>(&session);
    return spoken == nullptr ? nullptr : &spoken->card;
}

std::string_view answer_on_show(const StudySession& session)
{
    if (const auto* drill = std::get_if<DrillSession>(&session))
    {
        return drill->current() == nullptr ? std::string_view() : std::string_view(drill->current()->answer);
    }
    const auto* mock = std::get_if<MockSession>(&session);
    const bool seen = mock != nullptr && !mock->items.empty() && mock->stage != MockStage::running;
    return seen && mock->items[mock->at].correct ? std::string_view(mock->items[mock->at].answer)
                                                 : std::string_view();
}

bool is_ticking(const StudySession& session)
{
    if (const auto* drill = std::get_if<DrillSession>(&session))
    {
        return drill->stage == DrillStage::asking && !drill->paused_ms;
    }
    if (const auto* mock = std::get_if<MockSession>(&session))
    {
        return mock->stage == MockStage::running && !mock->paused;
    }
    const auto* spoken = std::get_if<SpokenSession>(&session);
    return spoken != nullptr && spoken->stage == SpokenStage::speaking;
}

std::string_view task_of(const StudySession& session)
{
    if (const auto* drill = std::get_if<DrillSession>(&session))
    {
        return drill->task;
    }
    if (const auto* mock = std::get_if<MockSession>(&session))
    {
        return mock->task;
    }
    const auto* spoken = std::get_if<SpokenSession>(&session);
    return spoken == nullptr ? std::string_view() : std::string_view(spoken->task);
}

} // namespace ringside
