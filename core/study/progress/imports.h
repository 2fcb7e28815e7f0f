// What a text from elsewhere brings along: shown before it is taken, and taken back as a whole.
#pragma once

#include "core/study/progress/progress.h"

namespace ringside
{

inline constexpr std::size_t kMostImported = 20'000; // cards of one text

struct StudyImport
{
    std::vector<PersonalCard> cards;
    std::vector<Review> reviews;
    std::optional<Progress> rest = {}; // of a progress file: flags, notes and the like, which are added
    Issues issues = {};                // by line; what has a fault is left out

    bool empty() const { return cards.empty() && reviews.empty(); }
};
// A progress file is JSON, a log of reviews names its columns in its first row, everything else has to be an
// Anki text file.
StudyImport read_import(std::string_view text);

// What an import has done, as far as it can be undone.
struct TakenImport
{
    std::int64_t time_ms = 0;          // its identity
    std::vector<PersonalCard> added;   // as they came
    std::vector<PersonalCard> earlier; // as they were, of those that it changed
    std::vector<Review> reviews;       // that were not there yet

    bool operator==(const TakenImport&) const = default;
    bool empty() const { return added.empty() && earlier.empty() && reviews.empty(); }
};
// What taking it would do. Changes nothing.
TakenImport planned(const Progress& progress, const StudyImport& found, std::int64_t time_ms);
void take(Progress& progress, const StudyImport& found, const TakenImport& plan);
// Removes what it added and puts back what it changed.
void take_back(Progress& progress, const TakenImport& taken);
// Imports whose cards are still there, newest first. What one has changed is not known of them.
std::vector<TakenImport> imports_of(const Progress& progress);

// "12 cards", "3 reviews"
std::string words_of(const TakenImport& import);

} // namespace ringside
