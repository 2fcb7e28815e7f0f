// Answers as people type them, read as what the question asks for: "1.12TB", "1 120 GB", "16*70e9", "3h
// 20min", "2/9", "about 70 GB per GPU". What is not wholly understood is asked back, with what was
// understood; nothing is dropped. Whether it is right is core/study/grading's to say.
//
// More than 1 of a share is percent; small-letter `gb` is what was asked for.
#pragma once

#include "core/base/result.h"
#include "core/study/answers/units.h"
#include "core/study/questions/quantity.h"

#include <set>
#include <string>
#include <vector>

namespace ringside
{

// What a question asks for, as far as a typed answer needs it: the unit of its key, and what its file says is
// counted, and per what.
struct Asked
{
    StudyUnit unit;
    double tolerance = 0.03;                        // relative; 0: the exact whole number
    Measure measure;                                // of a plain number
    std::string name;                               // its own, where the file gives one: "GPU-hours"
    std::vector<std::string_view> counted;          // things that may stand behind the number
    std::map<std::string, double, std::less<>> per; // what it may be said per, and how many: "s": 86400
    double step = 1;                                // "in units of 1e-4"
    bool any_noun = false;                          // only the unit is known: whatever is counted is right
    std::string sentence;                           // stems of the words of the sentence that asks
    std::set<std::string> names;                    // the question's own letters
};

// A bare number in a unit, whatever it counts.
Asked asked_for(const StudyUnit& unit);
// `counts` is "layers", "steps or all-reduces", a unit of its own such as
// "GPU-hours" and "requests/s", or a power of ten, "1e-4"; `per` is "GPU", "GPU
// or million tokens", "day". Both may be empty. An Issue names the word that is
// no thing, unit or number.
Result<Asked> asked_for(const StudyUnit& unit, std::string_view counts, std::string_view per);
// The stems of the words of the sentence of a question that asks, its last with
// a question mark; of the one before too where it is very short.
std::string asking_words(std::string_view stem);

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
// The kind of quantity that a unit measures.
Dimension dimension_of(const Measure& m);

} // namespace ringside
