// What a question asks for, as far as a typed answer needs it: the unit, the things that are counted, and
// what the answer may be said per. Read from the question's own sentence: what is counted is the noun behind
// "how many", never any other word of it.
#pragma once

#include "core/study/grading/words.h"
#include "core/study/questions/quantity.h"

namespace ringside
{

struct Asked
{
    StudyUnit unit;
    double tolerance = 0.03;               // relative; 0: the exact whole number
    Of wanted = Of::none;                  // what a doubtful unit is of
    Measure measure;                       // of a plain number
    std::vector<std::string_view> counted; // things that may stand behind the number
    std::vector<Per> per;                  // things it may be said per
    double per_time = 0;                   // [s] "how many a day": 86400
    double step = 1;                       // "in units of 1e-4"
    bool any_noun = false;                 // nothing but the unit is known: whatever is counted is right
    std::string noun;                      // stems of the words of "how many X"
    std::string sentence;                  // stems of the words of the sentence that asks, a blank between
    Letters names;                         // the question's own letters: "P": 70e9
};

Asked asked_for(const StudyUnit& unit);
// `stem` is the question's text.
Asked asked_for(const StudyUnit& unit, std::string_view stem, double tolerance);

} // namespace ringside
