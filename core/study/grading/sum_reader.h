// Reads a value with its unit out of tokens: sums, products, ranges and functions, worked out.
#pragma once

#include "core/study/grading/number_reader.h"

namespace ringside
{

class SumReader
{
public:
    using Value = std::optional<TypedValue>;

    SumReader(Tokens& tokens, UnitReader& units, Of wanted)
        : t_(tokens), units_(units), numbers_(tokens, units), wanted_(wanted)
    {
    }

    Value sum();

    bool between = false; // "between 4 and 5"

private:
    Value function();
    Value term();
    Value factor();
    void add_smaller(TypedValue& value);
    bool range(TypedValue& low);
    std::optional<char> operation();
    bool unit_of_whole(const TypedValue& v, const TypedValue& next) const;
    void divide(TypedValue& v, const TypedValue& next);

    Tokens& t_;
    UnitReader& units_;
    NumberReader numbers_;
    Of wanted_;
};

} // namespace ringside
