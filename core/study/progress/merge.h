// Two states of one user's progress made one: cards brought along, or another window's changes.
#pragma once

#include "core/study/progress/progress.h"

namespace ringside
{

// Adds cards; one with the id of a card that is there is that card, edited.
void merge(Progress& progress, const std::vector<PersonalCard>& cards);
// What another writer has changed since `base` was common to both, done to mine as well: of lists what they
// added and took away, of settings theirs where mine is as it was.
Progress merged(const Progress& base, Progress mine, const Progress& theirs);
// Whether this is a whole progress file of a later version: nothing of it can be read, and nothing is broken.
bool is_later_progress(std::string_view text);

} // namespace ringside
