// What a question asks for, as far as a typed answer needs it. Read from the
// question's own sentence: what is counted is the noun behind "how many", never
// any other word of it.
#pragma once

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
    std::string name;                               // its own, where the sentence has it: "GPU-hours"
    std::vector<std::string_view> counted;          // things that may stand behind the number
    std::map<std::string, double, std::less<>> per; // what it may be said per, and how many: "s": 86400
    double step = 1;                                // "in units of 1e-4"
    bool any_noun = false;                          // only the unit is known: whatever is counted is right
    std::string sentence;                           // stems of the words of the sentence that asks
    std::set<std::string> names;                    // the question's own letters
};

Asked asked_for(const StudyUnit& unit);
// `stem` is the question's text.
Asked asked_for(const StudyUnit& unit, std::string_view stem, double tolerance);

} // namespace ringside
