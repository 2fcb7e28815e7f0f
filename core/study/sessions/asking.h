// From a card of a deck to the question it asks: which family, which variant, which numbers. Also the same
// questions as plain text, for cards and sheets outside the program. Knows no user and no session.
#pragma once

#include "core/study/grading/grading.h"
#include "core/study/progress/exchange.h"
#include "core/study/sessions/mock.h"

namespace ringside
{

// What decks are made from.
std::vector<FamilyInfo> families_in(const QuestionBank& bank);
// "family/variant", or the first variant of a family, with numbers from this seed.
Result<DeckCard> card_of(const QuestionBank& bank, std::string_view id, std::uint64_t seed);
// A card of one's own, asked by its front and revealed.
Question question_of(const PersonalCard& card);
// What is asked and what is right, as plain text without emphasis.
std::string front_text(const Question& question);
std::string back_text(const Question& question);

// Draws and checks. The presets outlive it. Not to be shared between threads.
class Asking
{
public:
    Asking(QuestionBank bank, const Presets& presets) : bank_(std::move(bank)), calculator_(presets) {}

    const QuestionBank& bank() const { return bank_; }
    // Given parameters that make no question are drawn after all. Faults: a family that is not there, numbers
    // that make no question.
    Result<Question> ask(const DeckCard& card);
    // Faults: an answer that cannot be read.
    Result<Verdict> check(const Question& question, const Response& response)
    {
        return grade(question, response, calculator_);
    }
    // Behind each question that has parts, these with its values: the first variant of each part's family.
    void add_parts(std::vector<DeckCard>& deck);
    // Items that follow another ask what the family's follow-ups say, where it has any.
    void add_follow_ups(MockSession& mock);
    // Four of each family with numbers of their own, always the same.
    std::vector<FrozenCard> frozen();
    std::vector<SheetWords> words();

private:
    std::vector<DeckCard> parts_of(const DeckCard& parent);
    bool follow_up(const DeckCard& first, DeckCard& next);

    QuestionBank bank_;
    Calculator calculator_;
};

} // namespace ringside
