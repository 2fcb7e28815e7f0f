#include "core/study/sessions/session.h"

#include "core/base/overloaded.h"

namespace ringside
{

namespace
{

using None = const std::monostate&;

} // namespace

std::vector<ProgressChange> apply(StudySession& session, const StudyInput& input, std::int64_t now_ms)
{
    const auto take = [now_ms](auto& of, const auto& in) -> std::vector<ProgressChange>
    {
        if constexpr (requires { apply(of, in, now_ms); })
        {
            return apply(of, in, now_ms);
        }
        return {};
    };
    return std::visit(take, session, input);
}

void shift(StudySession& session, std::int64_t ms)
{
    std::visit(Overloaded{[](None) {},
                          [ms](DrillSession& s)
                          {
                              s.started_ms += ms;
                              s.shown_ms += ms;
                              s.paused_ms = s.paused_ms ? std::optional(*s.paused_ms + ms) : std::nullopt;
                          },
                          [ms](MockSession& s)
                          {
                              s.started_ms += ms;
                              s.seen_ms += ms;
                          },
                          [ms](SpokenSession& s) { s.started_ms += ms; }},
               session);
}

bool is_running(const StudySession& session)
{
    return std::visit(Overloaded{[](None) { return false; },
                                 [](const auto& s) { return s.stage != decltype(s.stage)::over; }},
                      session);
}

const DeckCard* card_on_show(const StudySession& session)
{
    using Shown = const DeckCard*;
    return std::visit(Overloaded{[](None) -> Shown { return nullptr; },
                                 [](const DrillSession& s) -> Shown
                                 { return s.current() ? &s.current()->card : nullptr; },
                                 [](const MockSession& s) -> Shown
                                 { return s.items.empty() ? nullptr : &s.items[s.at].card; },
                                 [](const SpokenSession& s) -> Shown { return &s.card; }},
                      session);
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
    return std::visit(
        Overloaded{[](None) { return false; },
                   [](const DrillSession& s) { return s.stage == DrillStage::asking && !s.paused_ms; },
                   [](const MockSession& s) { return s.stage == MockStage::running && !s.paused; },
                   [](const SpokenSession& s) { return s.stage == SpokenStage::speaking; }},
        session);
}

std::string_view task_of(const StudySession& session)
{
    return std::visit(Overloaded{[](None) { return std::string_view(); },
                                 [](const auto& s) { return std::string_view(s.task); }},
                      session);
}

} // namespace ringside
