#include "core/study/grading/typed.h"

#include "core/study/grading/sum_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace ringside
{

namespace
{

class TextReader
{
public:
    TextReader(std::string_view typed, Of wanted, bool bits)
        : t_(tokens_of(typed)), units_(t_, wanted, bits), sums_(t_, units_, wanted), wanted_(wanted)
    {
    }

    TypedText read();

private:
    bool starts_value() const;
    bool remark();
    bool place_of_many();
    void relate();
    void value();
    void word();
    void sign();

    Tokens t_;
    UnitReader units_;
    SumReader sums_;
    Of wanted_;
    TypedText out_;
    std::size_t ended_ = 0; // where the last value did
    bool equals_ = false;
    bool follows_ = false;
    bool inverse_ = false; // "divided by 16"
    bool in_remark_ = false;
    bool remark_says_ = false; // there are words in it
};

bool TextReader::starts_value() const
{
    const std::size_t bracket = t_.sign('(') ? 1 : 0;
    if (t_.number(bracket))
    {
        return true;
    }
    if (bracket > 0)
    {
        const Token* next = t_.peek(1);
        return next && (next->kind == Token::Kind::sign || number_word(next->text) || next->text == "$");
    }
    if (t_.sign('-') || t_.sign('+'))
    {
        return t_.number(1) || t_.function(1);
    }
    if (!t_.word())
    {
        return false;
    }
    const std::string& text = t_.peek()->text;
    const bool article = t_.word("a") || t_.word("an");
    if (article && t_.word(1))
    {
        const std::string& next = t_.peek(1)->text;
        return out_.values.empty() &&
               (units_.time_next(1) || next == "single" || (number_word(next) && next != "one") ||
                (scale_word(next) && next.size() > 4));
    }
    const bool money = (text == "$" || t_.word("usd") || text == "US") &&
                       (t_.number(1) || (t_.word("$", 1) && t_.number(2)));
    const bool cross = t_.word("x") && t_.number(1) && out_.values.empty();
    const bool zero = t_.word("zero") && t_.peek(1); // ZeRO stage 2
    const bool spelt = number_word(text) && !zero && (out_.values.empty() || text != "one");
    return money || cross || t_.function() || spelt || factor_word(text);
}

// "64 nodes of 8", "16 GB of 24", "30 GB in all 32 layers": how many there are is not the answer.
bool TextReader::place_of_many()
{
    const std::size_t start = t_.at;
    const TypedValue& last = out_.values.back();
    const bool counts = !last.measure.of.empty() && !last.measure.physical();
    const bool whole = last.measure.physical() && t_.number(1) && t_.peek(1)->value >= last.value;
    const bool of = t_.word("of") && (counts || whole);
    const bool in_all =
        (t_.word("in") || t_.word("on") || t_.word("over") || t_.word("acros")) && t_.word("all", 1);
    t_.at += in_all ? 2U : 1U;
    const bool number = (of || in_all) && t_.number();
    ++t_.at;
    const bool skips = number && (!units_.measure().of.empty() || of);
    t_.at = skips ? t_.at : start;
    return skips;
}

// A word that says how the next number, or the last one, follows from the others.
void TextReader::relate()
{
    const bool first = out_.values.empty();
    // "58.3, so 59", "rounded up to 59"
    const bool rounds = t_.word("to") && t_.before() &&
                        (stem_of(t_.before()->text) == "up" || stem_of(t_.before()->text) == "rounded");
    const bool concludes = !first && (rounds || t_.word("hence") || t_.word("therefore") || t_.word("thus") ||
                                      (t_.word("so") && t_.peek(1)));
    equals_ = equals_ || concludes;
    follows_ = follows_ || concludes;
    inverse_ = inverse_ || (t_.word("divided") && first);
    if (out_.values.size() > 1 && (t_.word("total") || t_.word("overall") || t_.word("altogether")))
    {
        out_.values.back().equated = out_.values.back().follows = true; // "2 per layer, 160 in total"
    }
}

// A word that belongs to no number.
void TextReader::word()
{
    const std::size_t start = t_.at;
    const std::string text = t_.peek()->text;
    const Manner manner = manner_of(text);
    remark_says_ = in_remark_;
    if (!out_.values.empty() && place_of_many())
    {
        return;
    }
    relate();
    if (manner == Manner::denial && !in_remark_)
    {
        out_.denial = text;
    }
    sums_.between = sums_.between || t_.word("between") || t_.word("from");
    if (t_.word("or") && (t_.number(1)))
    {
        out_.words.emplace_back("or");
    }
    const bool article = manner == Manner::each || manner == Manner::one_word;
    t_.at += article ? 1U : 0U;
    const std::string_view named = out_.values.empty() && manner != Manner::silent ? units_.thing() : "";
    if (article && !named.empty())
    {
        return; // each GPU holds
    }
    if (!named.empty())
    {
        out_.labels.push_back(named);
        // "ZeRO-2", "TP=8"
        if (t_.sign('-') && t_.number(1))
        {
            ++t_.at;
        }
        return;
    }
    t_.at = start + 1;
    if (manner == Manner::bound && !out_.values.empty() && !t_.number())
    {
        return; // over the whole cluster
    }
    if (manner == Manner::bound)
    {
        const bool than = t_.word("than");
        out_.bound = out_.bound.empty() ? text : out_.bound;
        t_.at += than ? 1U : 0U;
        return;
    }
    if (manner == Manner::hedge)
    {
        out_.words.emplace_back("~" + text);
        return;
    }
    const bool behind = !out_.values.empty() && out_.values.back().measure.plain() && start == ended_;
    out_.counted = behind && manner == Manner::unknown ? text : out_.counted;
    out_.words.push_back(text);
    // "x2": what stands for a number is none
    if (t_.sign('-') && t_.word(1))
    {
        ++t_.at;
    }
}

// "512 (64 nodes)", "38 GB (22 + 4 * 4)": what stands in brackets behind the answer says it once more.
bool TextReader::remark()
{
    const bool opens = t_.sign('(') && !in_remark_ && !out_.values.empty() && !equals_;
    if (!opens && !(in_remark_ && t_.sign(')')))
    {
        return false;
    }
    if (!opens && remark_says_)
    {
        // "(26 for the base)", "(fits in 80)"
        std::erase_if(out_.values, [](const TypedValue& v) { return v.remark && v.measure.plain(); });
    }
    in_remark_ = opens;
    remark_says_ = false;
    ++t_.at;
    constexpr std::array<std::string_view, 6> kOthers{"was", "wa", "from", "not", "instead", "versu"};
    const bool other =
        in_remark_ && t_.word() && std::ranges::find(kOthers, stem_of(t_.peek()->text)) != kOthers.end();
    while (other && !t_.at_end() && !t_.sign(')'))
    {
        ++t_.at;
    }
    return true;
}

void TextReader::value()
{
    const std::size_t start = t_.at;
    auto v = sums_.sum();
    if (!v && t_.at == start)
    {
        ++t_.at;
    }
    if (!v || !std::isfinite(v->value) || !std::isfinite(v->measure.size))
    {
        out_.fault = "is not a number that can be read";
        return;
    }
    v->value = inverse_ && wanted_ == Of::ratio && v->value != 0 ? 1 / v->value : v->value;
    v->remark = in_remark_;
    v->equated = equals_ && !out_.values.empty() && !in_remark_;
    v->follows = v->equated && follows_;
    if (v->equated)
    {
        out_.counted.clear();
    }
    equals_ = follows_ = inverse_ = false;
    out_.values.push_back(std::move(*v));
    ended_ = t_.at;
}

// Neither a word nor the start of a number.
void TextReader::sign()
{
    const bool named = t_.at > ended_ && t_.before() && t_.before()->kind == Token::Kind::word;
    equals_ = equals_ || t_.sign('=') || t_.sign(':') || t_.sign('>');
    follows_ = follows_ || (equals_ && (named || !t_.sign('=')));
    inverse_ = inverse_ || (t_.sign('/') && out_.values.empty());
    const bool stray = (t_.sign('/') || t_.sign('^') || t_.sign('*')) && !out_.values.empty();
    if (stray && t_.peek(1))
    {
        out_.fault = "is not a number that can be read";
    }
    ++t_.at;
}

TypedText TextReader::read()
{
    while (!t_.at_end() && out_.fault.empty())
    {
        if (!out_.values.empty() && units_.denominator(out_.values.back().measure))
        {
            continue;
        }
        if (remark())
        {
            continue;
        }
        if (starts_value())
        {
            value();
        }
        else if (t_.word())
        {
            word();
        }
        else
        {
            sign();
        }
    }
    return std::move(out_);
}

} // namespace

TypedText read_typed(std::string_view typed, Of wanted, bool bits)
{
    return TextReader(typed, wanted, bits).read();
}

Measure read_measure(std::string_view phrase, Of wanted)
{
    Tokens tokens(tokens_of(phrase));
    return UnitReader(tokens, wanted, false).measure();
}

} // namespace ringside
