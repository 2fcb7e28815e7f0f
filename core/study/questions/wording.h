// Texts of question families with their placeholders filled in: {P}, {P:plain}, {k:step} ("1 step", "2
// steps"),
// {= 16*P | B}.
#pragma once

#include "core/study/questions/formula/calculator.h"

#include <map>
#include <string>
#include <string_view>

namespace ringside
{

// What placeholders stand for.
struct Wording
{
    Calculator* calculator = nullptr;
    const DrawnValues* values = nullptr;
    // By name: the unit, and whether it was given (all its digits) or follows (three digits).
    struct Named
    {
        std::string unit;
        bool given = true;
    };
    std::map<std::string, Named, std::less<>> names;
    StudiedScenario* scenario = nullptr; // may be null

    // Faults: an unknown name, a brace without its partner.
    Result<std::string> fill(std::string_view text) const;
    std::string shown(std::string_view name) const; // a known name as {name} prints it
    // The expression with its numbers in; empty for a lone number, which has no working.
    std::string working(std::string_view expression) const;
};

// Ids of models, accelerators, clusters and scenarios by their names; other words as they are.
std::string word_text(const std::string& word, const Presets& presets);

} // namespace ringside
