// A drill or a mock interview under way as text, to go on with after the program has ended. A spoken answer
// is a minute long and not kept.
#pragma once

#include "core/study/sessions/session.h"

namespace ringside
{

// JSON, schema ringside.study-session/1, with the time it is of; empty where nothing is to be gone on with.
std::string to_text(const StudySession& session, std::int64_t now_ms);
// As it was, and paused: the time in between counts as none. A drill's last grade cannot be undone any more.
Result<StudySession> session_from_text(std::string_view text, std::int64_t now_ms);

} // namespace ringside
