// Answers as people type them, read as what the question asks for: "1.12TB", "1
// 120 GB", "16*70e9", "3h 20min", "2/9", "tp=8", "about 70 GB per GPU". What is
// not wholly understood is asked back, with what was understood; nothing is
// dropped. Then whether an answer is right, and what went wrong where it is
// not, without giving the key away.
//
// More than 1 of a share is percent; small-letter `gb` is what was asked for.
// Written mistakes come first, then errors of unit, sign and inversion, then
// the distance; the key is never told.
#pragma once

#include "core/base/result.h"
#include "core/study/grading/asked.h"

#include <span>

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

// Another way to read the same answer.
struct OtherReading
{
    double value = 0;
    std::string text;       // what to type for it: "57 GB"
    bool as_likely = false; // it needs no asking: "8:10" of minutes or hours
};

struct AnswerReading
{
    double value = 0;      // in the base unit of what is asked
    std::string read_as;   // "1120 GB = 1.12 TB"
    bool has_unit = false; // a plain number otherwise
    std::vector<OtherReading> others;
    std::string doubt;  // not to be graded before this is answered: "Do you mean 46 GPUs?"
    bool loose = false; // "about 4", "9 GB each": asked back where it is not right
};

// Longer texts are no answer.
inline constexpr std::size_t kLongestAnswer = 200;

// Faults say what could not be read and what would be; their path is empty.
Result<AnswerReading> read_answer(std::string_view text, const Asked& asked);
// The units to choose from beside the field, the likeliest first: "GB", "GiB",
// "TB"; none for a bare count.
std::vector<std::string> units_to_offer(const Asked& asked);

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
    // Which slip it is: the id of a known mistake, or bits-as-bytes, binary-gb,
    // power-of-ten, percent-as-fraction, time-unit, inverted, sign. Empty: right,
    // or nobody knows.
    std::string slip;
    std::string message; // one or two sentences for the user
    const KnownMistake* known = nullptr;
};

AnswerCheck check_answer(double value, const AnswerKey& key);

} // namespace ringside
