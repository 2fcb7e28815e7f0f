// Whether an answer is right, and what went wrong where it is not, without giving the key away: written
// mistakes come first, then errors of unit, sign and inversion, then the distance.
#pragma once

#include "core/study/questions/question.h"

#include <span>
#include <string>

namespace ringside
{

// What an answer is held against.
struct AnswerKey
{
    double value = 0; // in the base unit
    StudyUnit unit;
    double tolerance = 0.03; // relative; 0: the exact whole number
    std::span<const KnownMistake> mistakes;
};

struct AnswerCheck
{
    bool correct = false;
    // The id of a known mistake, or bits-as-bytes, binary-gb, power-of-ten, percent-as-fraction, time-unit,
    // inverted, sign. Empty: right, or none of these.
    std::string slip;
    std::string message; // one or two sentences for the user
    const KnownMistake* known = nullptr;
};

AnswerCheck check_answer(double value, const AnswerKey& key);

} // namespace ringside
