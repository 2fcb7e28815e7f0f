#include "core/study/grading/asked.h"

#include "core/study/grading/unit_reader.h"

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
    switch (unit.dimension)
    {
    case Dimension::data:
    case Dimension::data_rate:
        return Of::data;
    case Dimension::time:
        return Of::time;
    case Dimension::work:
    case Dimension::work_rate:
        return Of::work;
    case Dimension::money:
        return Of::money;
    case Dimension::share:
        return Of::percent;
    case Dimension::ratio:
        return Of::ratio;
    case Dimension::count:
    case Dimension::other:
        break;
    }
    return unit.name.starts_with("B/") ? Of::data : unit.name.starts_with("FLOP/") ? Of::work : Of::none;
}

// Where a sentence ends: its mark, and a blank or nothing behind it.
std::vector<std::string> sentences_of(std::string_view text)
{
    std::vector<std::string> all(1);
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        all.back() += text[i] == '*' || text[i] == '`' || text[i] == '\n' ? ' ' : text[i];
        const bool mark = text[i] == '.' || text[i] == '?' || text[i] == '!';
        if (mark && (i + 1 == text.size() || text[i + 1] == ' ' || text[i + 1] == '\n' || text[i + 1] == '"'))
        {
            all.emplace_back();
        }
    }
    std::erase_if(
        all, [](const std::string& s)
        { return std::none_of(s.begin(), s.end(), [](unsigned char c) { return std::isalpha(c); }); });
    return all;
}

std::string stems_of(std::span<const Token> tokens)
{
    std::string all;
    for (const Token& t : tokens)
    {
        if (t.kind == Token::Kind::word)
        {
            all += all.empty() ? "" : " ";
            all += stem_of(t.text);
        }
    }
    return all;
}

// The sentence that asks; a very short one with the one before it.
std::string asking_sentence(std::string_view stem)
{
    const auto all = sentences_of(stem);
    std::size_t at = all.size();
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        at = all[i].find('?') != std::string::npos ? i : at;
    }
    if (all.empty())
    {
        return "";
    }
    at = std::min(at, all.size() - 1);
    const bool few = std::count(all[at].begin(), all[at].end(), ' ') < 4;
    return few && at > 0 ? all[at - 1] + " " + all[at] : all[at];
}

constexpr std::string_view kWhole = "whole";

class SentenceReader
{
public:
    SentenceReader(Asked& asked, std::vector<Token> sentence)
        : asked_(asked), t_(std::move(sentence)), units_(t_, asked.wanted, false)
    {
    }

    // "how many are dropped?" leaves to the rest what they are.
    bool says_what() const { return named_; }
    bool nameless() const { return nameless_ && !named_; }
    const std::vector<std::string_view>& mentioned() const { return mentioned_; }

    void read()
    {
        for (; !t_.at_end(); ++t_.at)
        {
            how_many();
            what_is();
            which();
            per();
            in_unit();
            const std::size_t start = t_.at;
            const bool given = t_.before() != nullptr && t_.before()->kind == Token::Kind::number; // "5 hops"
            if (const std::string_view named = units_.thing(); !named.empty())
            {
                if (!given && start != aside_)
                {
                    mentioned_.push_back(named);
                }
                singular(start, t_.at, named);
            }
            t_.at = start;
        }
        const bool own = asked_.stem != kWhole && !nameless_ && !named_;
        if (asked_.counted.empty() && asked_.unit.name.empty() && own)
        {
            asked_.counted = mentioned_;
        }
        if (asked_.per.empty())
        {
            asked_.per = loose_;
        }
    }

private:
    // "how many GPU-hours", "how many of its tokens", "the number of stages"
    void how_many()
    {
        const bool many = t_.word("how") && t_.word("many", 1);
        if (!many && (!(t_.word("number") && t_.word("of", 1)) || times_))
        {
            return;
        }
        const std::size_t start = t_.at;
        times_ = many && t_.word("time", 2);
        t_.at += 2;
        if (t_.take_word("of"))
        {
            t_.at += t_.word() && units_.time_next() ? 0U : 1U;
            t_.at += t_.number() ? 1U : 0U;
        }
        t_.at += t_.word("more") || t_.word("new") ? 1U : 0U;
        const bool own = asked_.unit.name.empty();
        const Measure m = UnitReader(t_, Of::time, false).measure();
        if (own && m.physical() && m.of_kind(Of::time) > 0)
        {
            asked_.measure = m;
            asked_.wanted = Of::time;
        }
        nameless_ = m.of.empty();
        named_ = nameless_ && own && t_.word() && manner_of(t_.peek()->text) == Manner::unknown &&
                 !t_.word("are") && !t_.word("do");
        if (!m.of.empty())
        {
            asked_.counted.push_back(m.of.front());
        }
        // "how many ranks' values": either may be said
        const bool owner = t_.at > start && t_.before()->text.find('\'') != std::string::npos;
        if (const std::string_view owned = owner ? units_.thing() : ""; !owned.empty())
        {
            asked_.counted.push_back(owned);
        }
        t_.at = start;
    }

    // "what is the largest micro-batch", "what loss do you expect": nothing else is counted
    void what_is()
    {
        const std::size_t start = t_.at;
        if (!asked_.unit.name.empty() || !asked_.counted.empty() || !t_.take_word("what"))
        {
            return;
        }
        t_.at += t_.word("is") || t_.word("are") ? 1U : 0U;
        t_.take_word("the");
        const std::string_view named = units_.thing();
        if (!named.empty())
        {
            asked_.counted.push_back(named);
        }
        if (named == "micro-batches" || named == "batches")
        {
            asked_.counted.push_back("sequences"); // its size
        }
        named_ = true;
        t_.at = start;
    }

    // "which rank", "on which stage"
    void which()
    {
        const std::size_t start = t_.at;
        if (asked_.unit.name.empty() && asked_.counted.empty() && t_.take_word("which"))
        {
            if (const std::string_view named = units_.thing(); !named.empty())
            {
                asked_.counted.push_back(named);
            }
        }
        t_.at = start;
    }

    // "in years", "in units of 1e-4"
    void in_unit()
    {
        if (!t_.word("in") || !asked_.unit.name.empty())
        {
            return;
        }
        const std::size_t start = t_.at;
        ++t_.at;
        if (const std::string_view named = named_ ? units_.thing() : ""; !named.empty())
        {
            asked_.counted.push_back(named); // "the noise scale, in sequences"
        }
        t_.at = start + 1;
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
        const bool one = t_.word("one");
        const std::size_t start = t_.at;
        const bool behind = start > 0;
        if (behind)
        {
            --t_.at;
        }
        const bool inside = behind && (t_.word("in") || t_.word("for") || t_.word("on") || t_.word("per") ||
                                       t_.word("doe") || t_.word("do"));
        // "when every layer is recomputed", "at the same rate per GPU"
        const bool aside =
            behind && (t_.word("when") || t_.word("if") || t_.word("until") || t_.word("rate"));
        t_.at = start + 1;
        if (aside)
        {
            aside_ = t_.at;
            t_.at = start;
            return;
        }
        double count = 1;
        if (const auto scale =
                t_.word() && t_.peek()->text.size() > 4 ? scale_word(t_.peek()->text) : std::nullopt)
        {
            count = scale->size;
            ++t_.at;
        }
        if (units_.time_next())
        {
            asked_.per_time = time_word(t_.peek()->text)->size;
        }
        else if (const std::string_view named = units_.thing(); !named.empty())
        {
            const bool sure = manner == Manner::each || one || inside || count > 1;
            (sure ? asked_.per : loose_).push_back({named, count});
        }
        t_.at = start;
    }

    // "GPU 0", "the last GPU"
    void singular(std::size_t at, std::size_t end, std::string_view named)
    {
        // Not "layer inputs": those are of all layers.
        t_.at = end;
        const bool plural = t_.word() && t_.peek()->text.ends_with('s');
        const bool compound = plural && manner_of(t_.peek()->text) == Manner::unknown;
        t_.at = at;
        const std::string& word = t_.peek()->text;
        const bool model =
            std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); });
        if (at != aside_ && !compound && !model && end == at + 1 && !word.ends_with('s'))
        {
            loose_.push_back({named, 1});
        }
    }

    Asked& asked_;
    Tokens t_;
    UnitReader units_;
    bool times_ = false;    // "how many times the number of steps"
    bool nameless_ = false; // "how many are dropped?"
    bool named_ = false;    // "how many biases", "what is the learning rate"
    std::vector<std::string_view> mentioned_;
    std::size_t aside_ = 0;  // a thing that nothing is said per
    std::vector<Per> loose_; // said of one thing, but not for each
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
    return asked;
}

Asked asked_for(const StudyUnit& unit, std::string_view stem, double tolerance)
{
    Asked asked = asked_for(unit);
    asked.tolerance = tolerance;
    auto words = tokens_of(stem);
    asked.stem = stems_of(words);
    auto sentence = tokens_of(asking_sentence(stem));
    asked.sentence = stems_of(sentence);
    SentenceReader reader(asked, std::move(sentence));
    reader.read();
    // What the sentence leaves out stands before it.
    Asked whole;
    whole.stem = kWhole;
    SentenceReader before(whole, std::move(words));
    before.read();
    if (asked.counted.empty() && unit.name.empty() && !reader.says_what())
    {
        asked.counted = whole.counted.empty() && reader.nameless() ? before.mentioned() : whole.counted;
        std::erase_if(asked.counted, [&](std::string_view thing) // "how many are on one SM?"
                      { return std::ranges::find(asked.per, thing, &Per::thing) != asked.per.end(); });
    }
    const bool in_all = (" " + asked.sentence + " ").find(" in total ") != std::string::npos ||
                        contradicts("each", asked.sentence);
    const auto on_place = [](const Per& p) { return same_thing(p.thing, "GPUs") || p.thing == "replicas"; };
    const bool places = std::all_of(asked.per.begin(), asked.per.end(),
                                    [&](const Per& p) { return on_place(p) || p.thing == "nodes"; });
    if (asked.per.empty() && !in_all)
    {
        // Elsewhere most is said per something else: "10 \u00b5s per step", "a NIC per node".
        asked.per = whole.per;
        constexpr std::array<std::string_view, 4> kParts{"layers", "buckets", "stages", "micro-batches"};
        std::erase_if(asked.per,
                      [&](const Per& p)
                      {
                          const bool part = std::ranges::find(kParts, p.thing) != kParts.end();
                          return part ||
                                 (asked.wanted == Of::time && (p.thing == "steps" || p.thing == "nodes"));
                      });
    }
    else if (places &&
             std::any_of(whole.per.begin(), whole.per.end(), [](const Per& p) { return p.thing == "steps"; }))
    {
        asked.per.push_back({"steps", 1});
    }
    return asked;
}

} // namespace ringside
