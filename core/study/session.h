// The session a person is in, whichever it is: a drill, a mock interview or a spoken answer.
#pragma once

#include "core/study/mock.h"
#include "core/study/spoken.h"

namespace ringside
{

using StudySession = std::variant<std::monostate, DrillSession, MockSession, SpokenSession>;
// One input of the session that is running; those of another kind change nothing.
using StudyInput = std::variant<DrillInput, MockInput, SpokenInput>;

std::vector<ProgressChange> apply(StudySession& session, const StudyInput& input, std::int64_t now_ms);
// Whether there is one, and it still asks for something.
bool is_running(const StudySession& session);
// The plan's task it does; empty when it does none.
std::string_view task_of(const StudySession& session);

} // namespace ringside
