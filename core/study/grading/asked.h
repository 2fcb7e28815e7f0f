// What a question asks for, as far as a typed answer needs it: the unit of its
// key, and what its file says is counted, and per what.
#pragma once

#include "core/base/result.h"
#include "core/study/grading/units.h"
#include "core/study/questions/quantity.h"

#include <set>
#include <vector>

namespace ringside
{

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

} // namespace ringside
