// Answers as people type them: "1.12TB", "1,120 GB", "1.12 x 10^12", "100Gb/s", "3h 20min", "2/9", "22%",
// "70B". What the question asks for decides what is ambiguous: B is a billion parameters or bytes. Whether an
// answer is right, and what went wrong where it is not, without giving the key away.
#pragma once

#include "core/base/result.h"
#include "core/study/quantity.h"

#include <span>
#include <string>
#include <string_view>

namespace ringside
{

struct KnownMistake
{
    std::string id;
    std::string says;
    double value = 0;    // in the base unit
    std::string text;    // "4.48 TB"
    std::string working; // "4 × 280e9"
};

struct AnswerReading
{
    double value = 0;      // in the base unit of what is asked
    std::string read_as;   // "1.1 TB = 1.10e12 B"
    bool has_unit = false; // a plain number otherwise
};

// Longer texts are no answer.
inline constexpr std::size_t kLongestAnswer = 200;

// Faults say what could not be read and what would be; their path is empty.
Result<AnswerReading> read_answer(std::string_view text, const StudyUnit& asked);

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
    // Which slip it is: the id of a known mistake, or bits-as-bytes, binary-gb, power-of-ten,
    // percent-as-fraction, unit-missing, time-unit, inverted, sign. Empty: right, or nobody knows.
    std::string slip;
    std::string message; // one or two sentences for the person
    const KnownMistake* known = nullptr;
};

AnswerCheck check_answer(const AnswerReading& answer, const AnswerKey& key);

} // namespace ringside
