#include "core/study/grading/asked.h"

#include "core/base/text/text.h"
#include "core/study/grading/tokens.h"

#include <algorithm>
#include <cctype>

namespace ringside
{

namespace
{

constexpr std::string_view kEndsNoun =
    "of in on at for per doe do is are can must ha have each every will would "
    "that if so when with and or to "
    "from than a an lie fit";

// The sentence that asks, without emphasis; a very short one with the one
// before it.
std::string asking_sentence(std::string_view stem)
{
    std::vector<std::string> all(1);
    std::size_t asks = 0;
    for (std::size_t i = 0; i < stem.size(); ++i)
    {
        const bool mark = std::string_view(".?!").find(stem[i]) != std::string_view::npos &&
                          (i + 1 == stem.size() || std::string_view(" \n\"").find(stem[i + 1]) < 3);
        all.back() += std::string_view("*`\n").find(stem[i]) < 3 ? ' ' : stem[i];
        asks = mark && stem[i] == '?' ? all.size() - 1 : asks;
        mark&& i + 1 < stem.size() ? void(all.emplace_back()) : void();
    }
    const bool last = asks == 0 && all[0].find('?') == std::string::npos;
    const std::size_t at = last ? all.size() - 1 : asks;
    return at > 0 && std::ranges::count(all[at], ' ') < 5 ? all[at - 1] + " " + all[at] : all[at];
}

class SentenceReader
{
public:
    SentenceReader(Asked& asked, std::string_view sentence) : asked_(asked), t_(sentence) {}

    void read()
    {
        for (; !t_.at_end(); ++t_.at)
        {
            asked_.sentence += (t_.word() ? " " + stem_of(t_.text()) : "");
            const std::size_t start = t_.at;
            noun();
            t_.at = start;
            unit();
            t_.at = start;
            per();
            t_.at = start;
        }
        asked_.sentence.erase(0, 1);
        asked_.per.empty() ? asked_.per.swap(loose_) : void();
    }

private:
    // "how many GPU-hours", "how many of its tokens", "the number of stages",
    // "which rank", "at what batch"
    void noun()
    {
        const bool many = (t_.word("how") && t_.word("many", 1)) || (t_.word("number") && t_.word("of", 1));
        const bool which = t_.word("which") || t_.word("what");
        if (!many && !(which && !found_))
        {
            return;
        }
        t_.at += many ? 2U : 1U;
        while (has_word("of the its their more new is are i", stem_of(t_.text())))
        {
            ++t_.at;
        }
        const std::size_t begin = t_.at;
        const Measure m = take_unit(t_, {{{"s", 1}, {"B", 1}}});
        const bool own = many && asked_.unit.name.empty() && m.physical() && m.power("x") == 0;
        asked_.measure = own ? m : asked_.measure;
        asked_.name = own ? t_.typed_since(begin) : asked_.name;
        found_ = found_ || many;
        if (asked_.unit.name.empty() && !own)
        {
            asked_.counted.clear();
            t_.at = begin + (t_.number() ? 1U : 0U);
            for (int words = 0; words < 5 && t_.word() && !has_word(kEndsNoun, stem_of(t_.text())); ++words)
            {
                const std::string_view thing = take_thing(t_);
                thing.empty() ? void(++t_.at) : asked_.counted.assign(1, thing);
                t_.take_sign('-');
            }
        }
    }

    // "in years", "in sequences", "in units of 1e-4"
    void unit()
    {
        if (!t_.take_word("in") || !asked_.unit.name.empty())
        {
            return;
        }
        if (t_.word("unit") && t_.word("of", 1) && t_.number(2))
        {
            asked_.step = t_.peek(2).value;
            return;
        }
        const std::size_t begin = t_.at;
        const Measure m = take_unit(t_, {{{"s", 1}}});
        const bool ends = t_.at_end() || !t_.word() || t_.word("~");
        if (ends && m.physical())
        {
            asked_.measure = m;
            asked_.name = t_.typed_since(begin);
        }
        else if (ends && !m.powers.empty())
        {
            asked_.counted.push_back(thing_named(stem_of(m.powers.begin()->first)));
        }
    }

    // "on each GPU", "per million tokens", "a day"; "the last GPU" where nothing
    // is said so
    void per()
    {
        const bool sure = has_word("each every per", t_.text());
        const bool one = t_.number() && t_.peek().value == 1; // "one layer", "a day"
        const bool article = one || has_word("a an any single", t_.text());
        const std::string word(t_.text());
        const bool plural = stem_of(word) != small_letters(word) || word.ends_with('s') ||
                            std::ranges::any_of(word, [](unsigned char c) { return std::isdigit(c); }) ||
                            (t_.word(1) && t_.text(1).ends_with('s'));
        if ((!t_.word() && !one) || has_word("rate when if until", t_.before().text))
        {
            return;
        }
        t_.at += sure || article ? 1U : 0U;
        double count = 1;
        if (const auto scale = t_.text().size() > 4 ? scale_named(t_.text()) : std::nullopt; scale)
        {
            count = scale->size;
            ++t_.at;
        }
        const auto time = unit_named(t_.text(), {{{"s", 1}}});
        if ((sure || article) && time && time->power("s") == 1 && t_.text().size() > 2)
        {
            asked_.per.emplace("s", time->size);
            return;
        }
        for (int words = 0; words < (sure ? 4 : article ? 2 : 1) && t_.word(); ++words)
        {
            if (has_word(kEndsNoun, stem_of(t_.text())))
            {
                return;
            }
            if (const std::string_view thing = take_thing(t_); !thing.empty())
            {
                if (sure || article || !plural)
                {
                    (sure ? asked_.per : loose_).emplace(thing, count);
                }
                return;
            }
            ++t_.at;
            t_.take_sign('-');
        }
    }

    Asked& asked_;
    Tokens t_;
    bool found_ = false;
    std::map<std::string, double, std::less<>> loose_;
};

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

Asked asked_for(const StudyUnit& unit, std::string_view stem, double tolerance)
{
    Asked asked = asked_for(unit);
    asked.any_noun = false;
    asked.tolerance = tolerance;
    SentenceReader(asked, asking_sentence(stem)).read();
    // What the sentence leaves out stands before it.
    Asked all = asked_for(unit);
    SentenceReader(all, stem).read();
    if (asked.counted.empty() && !asked.measure.physical())
    {
        asked.counted = all.counted;
    }
    if (asked.per.empty() && !has_word(asked.sentence, "total") && !has_word(asked.sentence, "together"))
    {
        std::erase_if(all.per, [](const auto& p) { return !has_word("GPUs steps tokens", p.first); });
        asked.per = asked.measure.power("s") > 0 ? asked.per : all.per;
    }
    return asked;
}

} // namespace ringside
