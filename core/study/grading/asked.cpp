#include "core/study/grading/asked.h"

#include "core/study/grading/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

namespace ringside
{

namespace
{

Of wanted_of(const StudyUnit& unit)
{
    constexpr std::array kWanted{Of::none, Of::data,  Of::time,    Of::data,  Of::work,
                                 Of::work, Of::money, Of::percent, Of::ratio, Of::none};
    const Of wanted = kWanted.at(static_cast<std::size_t>(unit.dimension));
    return unit.dimension != Dimension::other ? wanted
           : unit.name.starts_with("B/")      ? Of::data
           : unit.name.starts_with("FLOP/")   ? Of::work
                                              : Of::none;
}

// The sentences of a text, its emphasis left out.
std::vector<std::string> sentences_of(std::string_view text)
{
    std::vector<std::string> all(1);
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        all.back() += std::string_view("*`\n").find(text[i]) != std::string_view::npos ? ' ' : text[i];
        const bool mark = std::string_view(".?!").find(text[i]) != std::string_view::npos;
        if (mark &&
            (i + 1 == text.size() || std::string_view(" \n\"").find(text[i + 1]) != std::string_view::npos))
        {
            all.emplace_back();
        }
    }
    std::erase_if(all, [](const std::string& s)
                  { return std::ranges::none_of(s, [](unsigned char c) { return std::isalpha(c); }); });
    return all;
}

// The sentence that asks; a very short one with the one before it.
std::string asking_sentence(std::string_view stem)
{
    const auto all = sentences_of(stem);
    std::size_t at = all.empty() ? 0 : all.size() - 1;
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        at = all[i].find('?') != std::string::npos ? i : at;
    }
    const bool few = !all.empty() && at > 0 && std::ranges::count(all[at], ' ') < 4;
    return all.empty() ? "" : few ? all[at - 1] + " " + all[at] : all[at];
}

void add_stem(std::string& list, std::string_view word)
{
    list += (list.empty() ? "" : " ") + stem_of(word);
}

class SentenceReader
{
public:
    SentenceReader(Asked& asked, std::string_view sentence)
        : asked_(asked), t_(tokens_of(sentence)), units_(t_, asked.wanted, false)
    {
    }

    void read()
    {
        for (; !t_.at_end(); ++t_.at)
        {
            if (t_.word())
            {
                add_stem(asked_.sentence, t_.peek()->text);
            }
            noun();
            in_unit();
            per();
            singular();
        }
        asked_.per = asked_.per.empty() ? loose_ : asked_.per;
        if (nameless_ && asked_.counted.empty())
        {
            asked_.counted = mentioned_;
            std::erase_if(asked_.counted, [&](std::string_view thing)
                          { return std::ranges::count(asked_.per, thing, &Per::thing) > 0; });
        }
    }

private:
    // "how many GPU-hours", "how many of its tokens", "the number of stages", "which rank", "at what batch"
    void noun()
    {
        const bool many = t_.word("how") && t_.word("many", 1) && !t_.word("time", 2);
        const bool number = t_.word("number") && t_.word("of", 1);
        const bool which = t_.word("which") || (t_.word("what") && !t_.word("i", 1));
        const bool what = t_.word("what") && t_.word(1) && has_word("is are", t_.peek(1)->text);
        if (!many && !number && !((which || what) && asked_.noun.empty()))
        {
            return;
        }
        const std::size_t start = t_.at;
        t_.at += many || number || what ? 2U : 1U;
        while (t_.word() && (has_word("of the its their more new", t_.peek()->text)))
        {
            ++t_.at;
        }
        t_.at += t_.number() ? 1U : 0U;
        if (many || number)
        {
            asked_.noun.clear();
            asked_.counted.erase(asked_.counted.begin() + own_, asked_.counted.end());
        }
        const std::size_t begin = t_.at;
        for (std::size_t n = 0;
             t_.word() && n < 4 &&
             !has_word("of in on at for per doe do is are can must ha have each will would",
                       stem_of(t_.peek()->text));
             ++n)
        {
            add_stem(asked_.noun, t_.peek()->text);
            ++t_.at;
            t_.at += t_.sign('-') && t_.word(1) ? 1U : 0U;
        }
        t_.at = begin;
        nameless_ = nameless_ || (many && has_word("are would per doe do on",
                                                   t_.word() ? stem_of(t_.peek()->text) : "are"));
        const Measure m = UnitReader(t_, many ? Of::time : Of::none, false).measure();
        if (many && asked_.unit.name.empty())
        {
            own_unit(m);
        }
        for (const std::string_view thing : asked_.unit.name.empty() || (many && asked_.wanted == Of::ratio)
                                                ? m.of
                                                : std::vector<std::string_view>{})
        {
            asked_.counted.push_back(thing);
            if (what && has_word("micro-batches batches", thing))
            {
                asked_.counted.emplace_back("sequences"); // its size
            }
        }
        const bool owner =
            t_.at > begin && t_.before()->text.find('\'') != std::string::npos; // "how many ranks' values"
        if (const std::string_view owned = owner && asked_.unit.name.empty() ? units_.thing() : "";
            !owned.empty())
        {
            asked_.counted.push_back(owned);
        }
        t_.at = start;
    }

    // "how many megawatts", "how many minutes"
    void own_unit(const Measure& m)
    {
        for (const Of kind : {Of::data, Of::energy, Of::work, Of::time})
        {
            if (m.of_kind(kind) > 0)
            {
                asked_.measure = m;
                asked_.measure.per.clear();
                asked_.wanted = kind;
                return;
            }
        }
    }

    // "in years", "in sequences", "in units of 1e-4"
    void in_unit()
    {
        if (!t_.word("in") || !asked_.unit.name.empty())
        {
            return;
        }
        const std::size_t start = t_.at++;
        if (t_.word("unit") && t_.word("of", 1) && t_.number(2))
        {
            asked_.step = t_.peek(2)->value;
        }
        else if (units_.time_next() && t_.peek()->text.ends_with('s') && t_.peek()->text.size() > 3 &&
                 (!t_.word(1) || t_.word("~", 1)))
        {
            asked_.measure = units_.measure();
            asked_.wanted = Of::time;
        }
        else if (const std::string_view named = units_.thing();
                 !named.empty() && (!t_.word() || t_.word("~")))
        {
            asked_.counted.push_back(named);
        }
        t_.at = start;
    }

    // "on each GPU", "one million tokens", "a day"
    void per()
    {
        const Manner manner = t_.word() ? manner_of(t_.peek()->text) : Manner::unknown;
        if (manner != Manner::each && manner != Manner::one_word)
        {
            return;
        }
        const std::size_t start = t_.at;
        const std::string before =
            t_.before() && t_.before()->kind == TypedToken::Kind::word ? stem_of(t_.before()->text) : "";
        const bool one = t_.word("one");
        ++t_.at;
        double count = 1;
        if (t_.word() && t_.peek()->text.size() > 4 && scale_word(t_.peek()->text))
        {
            count = scale_word(t_.peek()->text)->size;
            ++t_.at;
        }
        // "when every layer is recomputed", "at the same rate per GPU"
        aside_ = has_word("when if until rate", before) ? t_.at : aside_;
        if (units_.time_next())
        {
            asked_.per_time = time_word(t_.peek()->text)->size;
        }
        else if (const std::string_view named = aside_ == t_.at ? "" : units_.thing(); !named.empty())
        {
            const bool sure =
                manner == Manner::each || one || has_word("in for on per doe do", before) || count > 1;
            (sure ? asked_.per : loose_).push_back({named, count});
        }
        t_.at = start;
    }

    // "GPU 0", "the last GPU"; not "layer inputs": those are of all layers
    void singular()
    {
        const std::size_t start = t_.at;
        const std::string word = t_.word() ? t_.peek()->text : "";
        const bool given = t_.before() && t_.before()->kind == TypedToken::Kind::number; // "5 hops"
        const std::string_view named = t_.word() ? units_.thing() : "";
        if (!named.empty() && !given && start != aside_)
        {
            mentioned_.push_back(named);
        }
        const bool compound =
            t_.word() && t_.peek()->text.ends_with('s') && manner_of(t_.peek()->text) == Manner::unknown;
        const bool model = std::ranges::any_of(word, [](unsigned char c) { return std::isdigit(c); });
        if (!named.empty() && start != aside_ && !compound && !model && t_.at == start + 1 &&
            !word.ends_with('s'))
        {
            loose_.push_back({named, 1});
        }
        t_.at = start;
    }

    Asked& asked_;
    Tokens t_;
    UnitReader units_;
    std::ptrdiff_t own_ = static_cast<std::ptrdiff_t>(asked_.counted.size()); // those of the unit
    bool nameless_ = false;                                                   // "how many are dropped?"
    std::vector<std::string_view> mentioned_; // things without a number of theirs
    std::size_t aside_ = 0;                   // a thing that nothing is said per
    std::vector<Per> loose_;                  // said of one thing, but not for each
};

} // namespace

Asked asked_for(const StudyUnit& unit)
{
    Asked asked;
    asked.unit = unit;
    asked.wanted = wanted_of(unit);
    asked.measure = read_measure(unit.name, asked.wanted);
    asked.measure.percent = false; // a plain number is a share all the same
    asked.measure.ratio = false;
    asked.measure.size = unit.base;
    asked.counted = asked.measure.of;
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
    Asked whole = asked_for(unit);
    SentenceReader(whole, stem).read();
    if (asked.counted.empty() && unit.name.empty() && asked.noun.empty())
    {
        asked.counted = whole.counted;
        asked.noun = whole.noun;
    }
    const bool in_all = has_word(asked.sentence, "total") || contradicts("each", asked.sentence);
    const auto place = [](const Per& p)
    { return same_thing(p.thing, "GPUs") || p.thing == "replicas" || p.thing == "nodes"; };
    if (asked.per.empty() && !in_all)
    {
        // Elsewhere most is said per something else: "10 \u00b5s per step", "a NIC per node".
        asked.per = whole.per;
        std::erase_if(asked.per,
                      [&](const Per& p)
                      {
                          return has_word("layers buckets stages micro-batches", p.thing) ||
                                 (asked.wanted == Of::time && has_word("steps nodes", p.thing));
                      });
    }
    else if (std::ranges::all_of(asked.per, place) && std::ranges::count(whole.per, "steps", &Per::thing) > 0)
    {
        asked.per.push_back({"steps", 1});
    }
    return asked;
}

} // namespace ringside
