// The session a user is in, whichever it is: a drill, a mock interview or a spoken answer.
#pragma once

#include "core/study/sessions/mock.h"
#include "core/study/sessions/spoken.h"

namespace ringside
{

using StudySession = std::variant<std::monostate, DrillSession, MockSession, SpokenSession>;
// One input of the session that is running; those of another kind change nothing.
using StudyInput = std::variant<DrillInput, MockInput, SpokenInput>;

std::vector<ProgressChange> apply(StudySession& session, const StudyInput& input, std::int64_t now_ms);
// The card of the question on show; null where there is none.
const DeckCard* card_on_show(const StudySession& session);
// Its last answer, where what the check says of it may be seen; empty otherwise.
std::string_view answer_on_show(const StudySession& session);
// Whether a clock runs that people look at.
bool is_ticking(const StudySession& session);
// Whether there is one, and it still asks for something.
bool is_running(const StudySession& session);
// The clock was set while it ran: its times move with it, so that none of it counts as spent.
void shift(StudySession& session, std::int64_t ms);
// The plan's task it does; empty when it does none.
std::string_view task_of(const StudySession& session);

} // namespace ringside
