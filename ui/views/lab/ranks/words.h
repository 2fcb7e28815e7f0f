// What the view of the ranks says in words: its caption, the facts in the status strip, and what a fault
// did.
#pragma once

#include "ui/shell/frame/team_frame.h"
#include "ui/shell/view.h"

namespace ringside
{

Caption team_caption(const TeamFrame& team);
std::vector<std::string> team_facts(const TeamFrame& team);
// "8 layers of width 64, 401 k parameters; 8 micro-batches of 2 x 32 tokens per step."
std::string team_model_words(const TeamConfig& config);

} // namespace ringside
