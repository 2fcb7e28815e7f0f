// What a question asks for, as far as a typed answer needs it: the unit, the things that are counted, and
// what the answer may be said per. Read from the question's own sentence.
#pragma once

#include "core/study/grading/typed.h"
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
    std::string sentence;                  // the stems of its words, a blank between
    std::string stem;                      // of all the question's words

    // Nothing but the unit is known: whatever is counted is right.
    bool anything() const { return stem.empty() && counted.empty(); }
};

Asked asked_for(const StudyUnit& unit);
// `stem` is the question's text.
Asked asked_for(const StudyUnit& unit, std::string_view stem, double tolerance);

} // namespace ringside
