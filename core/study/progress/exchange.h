// Progress in other tools' words: the history of reviews, Anki's text files, a study sheet.
// Texts in, texts out; files are the app's.
#pragma once

#include "core/study/sessions/deck.h"

namespace ringside
{

// card_id,review_time,review_rating,review_state,review_duration (times in milliseconds), the columns that
// FSRS optimizers read, then everything else a review holds.
std::string history_csv(const Progress& progress);

template <class T>
struct Imported
{
    std::vector<T> entries;
    Issues issues; // by line; what has a fault is left out
};
// A history, or a review log with its first five columns; columns may come in any order and unknown ones are
// left.
Imported<Review> reviews_from_csv(std::string_view text);

// A question with its numbers drawn, for tools that cannot draw them.
struct FrozenCard
{
    std::string guid; // stable_guid()
    std::string front;
    std::string back; // plain text, both
    std::vector<std::string> tags;
};
// One id per family and variant everywhere, so that importing again updates.
std::string stable_guid(std::string_view family, int variant);
std::string anki_text(const std::vector<FrozenCard>& cards, std::string_view deck = "Ringside");
// Notes of an Anki text file as personal cards: its header lines say how it is separated and which columns
// are tags and guid; without a guid, one follows from the front. A text that has neither the header line
// #separator nor a tab is none.
Imported<PersonalCard> cards_from_anki(std::string_view text);

// A question in words, as far as it is known; else its id stands in.
struct SheetWords
{
    std::string family;
    std::string question;
    std::string answer;
};
// Markdown: the weakest topics, the questions missed most, the known slips, and the user's own notes.
std::string study_sheet(const StudyState& study, std::span<const SheetWords> words);

} // namespace ringside
