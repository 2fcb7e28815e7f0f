#include <fmt/format.h>

#include "core/base/text/find.h"
#include "core/base/text/text.h"
#include "core/study/answers/answer.h"
#include "core/study/answers/grammar.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace ringside
{

namespace
{

// "steps or all-reduces" with a semicolon in place of "or".
std::string alternatives(std::string_view text)
{
    std::string all(text);
    replace_all(all, " or ", ";");
    return all;
}

Issue unknown(std::string_view what, std::string_view hint)
{
    return {"", fmt::format("\"{}\" is nothing that the grader knows", what), std::string(hint)};
}

} // namespace

Asked asked_for(const StudyUnit& unit)
{
    Asked asked;
    asked.unit = unit;
    Tokens tokens(unit.name);
    // "B" is bytes, but billions of what is counted.
    asked.measure = take_unit(tokens, unit.dimension == Dimension::count ? Measure{} : Measure{{{"B", 1}}});
    const bool over_another =
        std::ranges::any_of(asked.measure.powers, [](const auto& p) { return p.second < 0; });
    if (!asked.measure.physical() && !over_another)
    {
        for (const auto& [of, power] : asked.measure.powers)
        {
            asked.counted.push_back(thing_named(stem_of(of)));
        }
        asked.measure = {};
    }
    asked.measure.size = unit.base;
    asked.any_noun = asked.counted.empty();
    return asked;
}

Result<Asked> asked_for(const StudyUnit& unit, std::string_view counts, std::string_view per)
{
    Asked asked = asked_for(unit);
    asked.any_noun = false;
    const std::string things = alternatives(counts);
    for (const std::string_view part : names_between(things))
    {
        Tokens t(part);
        asked.step = t.number() ? t.peek().value : asked.step;
        t.at += t.number() ? 1U : 0U;
        const std::size_t start = t.at;
        if (const std::string_view thing = take_thing(t); t.at_end())
        {
            thing.empty() ? void() : asked.counted.push_back(thing);
            continue;
        }
        t.at = start;
        asked.measure = take_unit(t, {{{"s", 1}, {"B", 1}}});
        asked.name = part;
        if (!t.at_end() || !asked.measure.physical())
        {
            return unknown(part, "use a thing, \"layers\", a unit, \"GPU-hours\", or a power of ten");
        }
    }
    const std::string over = alternatives(per);
    for (const std::string_view part : names_between(over))
    {
        Tokens t(part);
        const Measure m = take_unit(t, {{{"s", 1}}});
        if (!t.at_end() || m.powers.size() != 1)
        {
            return unknown(part, "use a thing or a time: \"GPU\", \"million tokens\", \"day\"");
        }
        asked.per.emplace(m.powers.begin()->first, m.size);
    }
    return asked;
}

std::string asking_words(std::string_view stem)
{
    const auto begins = [&](std::size_t before) // the sentence that ends there
    {
        const std::size_t mark = before == 0 ? before : stem.find_last_of(".?!", before - 1);
        return before == 0 || mark == std::string_view::npos ? 0 : mark + 1;
    };
    const std::size_t end = std::min(stem.rfind('?'), stem.size());
    std::size_t from = end;
    do
    {
        from = begins(std::max<std::size_t>(from, 1) - 1);
        // "1.5 GB" ends no sentence, and five words say too little alone.
    } while (from > 0 && (std::string_view(" \n\"").find(stem[from]) > 2 ||
                          std::ranges::count(stem.substr(from, end - from), ' ') < 5));
    std::string words;
    std::string word;
    for (const char c : std::string(stem.substr(from, end - from)) + " ")
    {
        const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '\'' ||
                            static_cast<unsigned char>(c) >= 0x80;
        word += letter ? std::string(1, c) : "";
        words += letter || word.empty() ? "" : stem_of(std::exchange(word, "")) + " ";
    }
    return words;
}

} // namespace ringside
