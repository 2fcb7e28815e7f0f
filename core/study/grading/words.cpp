// One file, since it is one table and the ways to look into it.
#include "core/study/grading/words.h"

#include <fmt/format.h>

#include "core/base/text/find_by.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

namespace ringside
{

bool has_word(std::string_view list, std::string_view word)
{
    for (std::size_t at = list.find(word); at != std::string_view::npos && !word.empty();
         at = list.find(word, at + 1))
    {
        const std::size_t end = at + word.size();
        if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' '))
        {
            return true;
        }
    }
    return false;
}

namespace
{

enum class WordKind : std::uint8_t
{
    time,
    money,
    percent,
    ratio,
    number, // the next four count up from their size
    ten,
    share,
    ordinal,
    factor,
    thing,
    silent,
    hedge,
    limit,
    bound,
    denial,
    each,
    one_word
};
constexpr std::size_t kKinds = 17;

struct WordRow
{
    WordKind kind;
    std::string_view words; // with blanks between
    double size = 1;
    std::string_view name = {}; // as it is said back
};

// A power of ten, before "B", "bit" or "FLOP" and behind a number; the short ones are read as they stand.
struct Power
{
    double size;
    std::string_view name;
    std::string_view prefix;
    std::string_view long_prefix;
    std::string_view scale;
    std::string_view long_scale;
    std::string_view scale_name = name;
};

constexpr std::array kPowersOfTen{
    Power{1, "", "", "", "", ""},
    Power{1e3, "k", "k K", "kilo thousand", "k K", "thousand thou grand"},
    Power{1e6, "M", "M", "mega million mn", "M m mn mm", "mn mio mil mill million"},
    Power{1e9, "G", "G", "giga gig billion bn", "B b G bn", "bn bln bil billion mrd", "B"},
    Power{1e12, "T", "T", "tera trillion tn", "T t tn", "tn trn tril trillion"},
    Power{1e15, "P", "P", "peta", "P", "quadrillion"},
    Power{1e18, "E", "E", "exa", "", "quintillion"},
    Power{1e21, "Z", "Z", "zetta", "", "sextillion"},
    Power{1e24, "Y", "Y", "yotta", "", "septillion"},
    Power{1024.0, "Ki", "Ki", "kibi ki", "Ki", "kibi"},
    Power{1048576.0, "Mi", "Mi", "mebi mi", "Mi", "mebi"},
    Power{1073741824.0, "Gi", "Gi", "gibi gi", "Gi", "gibi"},
    Power{1099511627776.0, "Ti", "Ti", "tebi ti", "", ""},
    Power{1125899906842624.0, "Pi", "Pi", "", "", ""},
    Power{100, "hundred", "", "", "", "hundred"},
    Power{12, "dozen", "", "", "", "dozen"}};

const Power* power_with(std::string_view Power::*list, std::string_view word)
{
    return find_by(kPowersOfTen, true, [&](const Power& p) { return has_word(p.*list, word); });
}

constexpr std::array kTable{
    WordRow{WordKind::time, "s sec second", 1, "s"},
    WordRow{WordKind::time, "ms msec millisec millisecond millis", 1e-3, "ms"},
    WordRow{WordKind::time, "us usec microsec microsecond micros", 1e-6, "\u00b5s"},
    WordRow{WordKind::time, "ns nsec nanosecond", 1e-9, "ns"},
    WordRow{WordKind::time, "min minute", 60, "min"},
    WordRow{WordKind::time, "m", 60, "m"},
    WordRow{WordKind::time, "h hr hour", 3600, "h"},
    WordRow{WordKind::time, "d day", 86400, "d"},
    WordRow{WordKind::time, "w wk week", 604800, "weeks"},
    WordRow{WordKind::time, "mo mth month", 2629800, "months"},
    WordRow{WordKind::time, "y yr year", 31557600, "years"},
    WordRow{WordKind::money, "usd us$ $ dollar buck", 1, ""},
    WordRow{WordKind::money, "cent \u00a2", 0.01, ""},
    WordRow{WordKind::percent, "% percent pct percentage perc pp ppt pt pts point points percents", 0.01,
            "%"},
    WordRow{WordKind::percent, "permille", 0.001, "\u2030"},
    WordRow{WordKind::percent, "bps bp", 1e-4, "basis points"},
    WordRow{WordKind::ratio, "x times fold", 1, "x"},
    WordRow{WordKind::number,
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
            "sixteen seventeen eighteen nineteen",
            0},
    WordRow{WordKind::number, "none", 0},
    WordRow{WordKind::ten, "twenty thirty forty fifty sixty seventy eighty ninety", 2},
    WordRow{WordKind::ten, "fourty", 4},
    WordRow{WordKind::share, "half third quarter fifth sixth seventh eighth ninth tenth eleventh twelfth", 2},
    WordRow{WordKind::share, "halved", 2},
    WordRow{WordKind::share, "fourth", 4},
    WordRow{WordKind::share, "sixteenth", 16},
    WordRow{WordKind::share, "eighteenth", 18},
    WordRow{WordKind::share, "twentieth", 20},
    WordRow{WordKind::share, "hundredth", 100},
    WordRow{WordKind::share, "thousandth", 1000},
    WordRow{WordKind::ordinal,
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", 1},
    WordRow{WordKind::factor, "twice thrice", 2},
    WordRow{WordKind::factor, "double triple quadruple", 2},
    WordRow{WordKind::factor, "doubled tripled quadrupled", 2},
    WordRow{
        WordKind::thing,
        "gpu card accelerator device chip gpus h100 h200 a100 b100 b200 gb200 v100 a800 h800 l40 mi300 tpu",
        0, "GPUs"},
    WordRow{WordKind::thing, "rank", 0, "ranks"},
    WordRow{WordKind::thing, "worker loader", 0, "workers"},
    WordRow{WordKind::thing, "node host machine server box", 0, "nodes"},
    WordRow{WordKind::thing, "token tok tk", 0, "tokens"},
    WordRow{WordKind::thing, "parameter param weight par", 0, "parameters"},
    WordRow{WordKind::thing, "step iteration iter optimizerstep update", 0, "steps"},
    WordRow{WordKind::thing, "sequence seq sample example", 0, "sequences"},
    WordRow{WordKind::thing, "request prompt user query", 0, "requests"},
    WordRow{WordKind::thing,
            "microbatch ubatch ubatche ub microbatche mbatch mbs mb accumulationstep gradaccumstep accumstep "
            "gradientaccumulationstep ga",
            0, "micro-batches"},
    WordRow{WordKind::thing, "batch batche bs gbs", 0, "batches"},
    WordRow{WordKind::thing, "layer transformerlayer transformerblock", 0, "layers"},
    WordRow{WordKind::thing, "block", 0, "blocks"},
    WordRow{WordKind::thing, "stage pipelinestage pp pipelinedegree pipelineparallel pipelineparallelism", 0,
            "stages"},
    WordRow{WordKind::thing, "tp tensordegree tensorparallel tensorparallelism tensorway", 0,
            "tensor parallelism"},
    WordRow{WordKind::thing, "cp contextdegree contextparallel contextparallelism", 0, "context parallelism"},
    WordRow{WordKind::thing, "ep expertparallel expertparallelism", 0, "expert parallelism"},
    WordRow{WordKind::thing, "zero", 0, "ZeRO"},
    WordRow{
        WordKind::thing,
        "replica dp copy copie dataparallel dataparallelism ddp dpgroup dataparallelgroup dataparallelrank "
        "dprank dataparallelreplica",
        0, "replicas"},
    WordRow{WordKind::thing, "group tensorgroup", 0, "groups"},
    WordRow{WordKind::thing, "expert", 0, "experts"},
    WordRow{WordKind::thing, "head queryhead attentionhead kvhead", 0, "heads"},
    WordRow{WordKind::thing, "chunk piece", 0, "chunks"},
    WordRow{WordKind::thing, "shard", 0, "shards"},
    WordRow{WordKind::thing, "segment", 0, "segments"},
    WordRow{WordKind::thing, "bucket", 0, "buckets"},
    WordRow{WordKind::thing, "hop", 0, "hops"},
    WordRow{WordKind::thing, "allreduce ar allreduction", 0, "all-reduces"},
    WordRow{WordKind::thing, "alltoall all2all a2a alltoallv", 0, "all-to-alls"},
    WordRow{WordKind::thing, "allgather ag", 0, "all-gathers"},
    WordRow{WordKind::thing, "reducescatter rs", 0, "reduce-scatters"},
    WordRow{WordKind::thing, "collective call", 0, "collectives"},
    WordRow{WordKind::thing, "transfer message", 0, "transfers"},
    WordRow{WordKind::thing, "epoch pass passe", 0, "epochs"},
    WordRow{WordKind::thing, "failure interruption crash crashe fault incident outage", 0, "failures"},
    WordRow{WordKind::thing, "checkpoint ckpt", 0, "checkpoints"},
    WordRow{WordKind::thing, "question", 0, "questions"},
    WordRow{WordKind::thing, "answer", 0, "answers"},
    WordRow{WordKind::thing, "element value entry", 0, "elements"},
    WordRow{WordKind::thing, "nat", 0, "nats"},
    WordRow{WordKind::thing, "sm multiprocessor", 0, "multiprocessors"},
    WordRow{WordKind::thing, "document doc", 0, "documents"},
    WordRow{WordKind::thing, "job run", 0, "jobs"},
    WordRow{WordKind::thing, "boundary boundarie", 0, "boundaries"},
    WordRow{WordKind::thing, "adapter", 0, "adapters"},
    WordRow{WordKind::thing, "bias biase", 0, "biases"},
    WordRow{WordKind::thing, "warp", 0, "warps"},
    WordRow{WordKind::thing, "tile", 0, "tiles"},
    WordRow{WordKind::thing, "slot", 0, "slots"},
    WordRow{WordKind::thing, "cluster fleet", 0, "clusters"},
    WordRow{WordKind::thing, "column", 0, "columns"},
    WordRow{
        WordKind::silent,
        "the it is are be its it's of in on at for to so we i i'd you that this there which as by from with "
        "and then between both data "
        "would should will can must takes take need needs gives give get gets makes result answer ans equals "
        "equal think guess say maybe perhaps please or hence thus therefore rounded rounding overall "
        "altogether together combined total totals all only exactly exact pretty much left free remaining "
        "extra "
        "additional memory vram hbm of gpu-memory wide long apart time times training trained degree level "
        "way "
        "ways factor size things of ones them each same as many fast seen ok yes sorry like right saved "
        "savings "
        "saving sent send moved held hold holds used needed required off per down up out decimal useful "
        "efficient efficiency percentage worth concurrent separate or-so well i.e because since due exposed "
        "more "
        "less fewer larger bigger smaller longer shorter higher lower greater slower faster quicker cheaper "
        "increase decrease reduction speedup growth grows shrinks drop drops falls reduced frees freed my "
        "number no. "
        "process processes optimizer-step peak loss ppl perplexity nominal bandwidth bf16 fp16 fp32 fp8 fp4 "
        "int8 int4 sxm 80gb 40gb nvidia physical wall clock when if was instead fits fit too big in-flight "
        "flight "
        "at-least bytes-each until after once every global batch-size sharded gathered enough still"},
    WordRow{WordKind::hedge,
            "about just approx approximately roughly circa ca around nearly almost some ~ somewhere "
            "near close ish give abt "
            "aprox est estimated bit little slightly tad hair touch barely somewhat very likely "
            "ballpark avg average"},
    WordRow{WordKind::limit, "least most minimum min maximum max"},
    WordRow{WordKind::bound, "over under above below than exceeds beyond"},
    WordRow{WordKind::denial,
            "not isn't isnt aren't never no don't dont doesn't doesnt neither nor wrong false "
            "cannot can't unlike "
            "except unknown idk dunno vs versus"},
    WordRow{WordKind::each, "each every per"},
    WordRow{WordKind::one_word, "a an one any single"}};

// Two names, near enough for each other.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kSame{
    {{"GPUs", "ranks"},
     {"workers", "ranks"},
     {"hops", "transfers"},
     {"hops", "steps"},
     {"replicas", "ranks"},
     {"collectives", "all-reduces"},
     {"collectives", "all-to-alls"},
     {"boundaries", "stages"},
     {"stages", "ZeRO"},
     {"chunks", "shards"},
     {"requests", "sequences"},
     {"batches", "sequences"},
     {"batches", "requests"},
     {"parameters", "elements"},
     {"tensor parallelism", "ranks"},
     {"layers", "blocks"},
     {"micro-batches", "batches"}}};

// A word of the left list says something else than a sentence with one of the middle list, unless the
// sentence has one of the right list too.
struct Contrast
{
    std::string_view said;
    std::string_view asked;
    std::string_view unless;
};

constexpr std::array kContrasts{
    Contrast{"each apiece", "cluster fleet total altogether together overall", "each every one per a"},
    Contrast{"cluster fleet whole entire", "each every one", "cluster fleet whole"},
    Contrast{"total overall altogether", "each", "total"},
    Contrast{"ideal", "total step time wall", "ideal"},
    Contrast{"total wall", "ideal", "total wall"},
    Contrast{"hfu", "mfu", "hfu"},
    Contrast{"mfu", "hfu", "mfu"},
    Contrast{"faster quicker", "slower longer", "faster quicker"},
    Contrast{"slower", "faster quicker shorter", "slower"},
    Contrast{"larger bigger", "smaller", "larger bigger"},
    Contrast{"smaller", "larger bigger longer grow faster", "smaller"},
    Contrast{"longer", "shorter faster", "longer"},
    Contrast{"shorter", "longer slower", "shorter"},
    Contrast{"fewer", "more", "fewer less"},
    Contrast{"received receive", "send sent", "receive"},
    Contrast{"gradient grad", "weight activation state optimizer moment logit cache parameter", "gradient"},
    Contrast{"weight", "gradient activation state optimizer moment logit cache", "weight"},
    Contrast{"optimizer", "gradient weight activation cache", "optimizer state moment"},
    Contrast{"goodput kept", "lost loss wasted", "goodput"},
    Contrast{"busy useful used", "idle bubble lost wait empty unused", "busy useful used"},
    Contrast{"idle bubble lost wasted", "mfu hfu efficiency useful", "idle bubble lost"}};

struct WordEntry
{
    const WordRow* row = nullptr;
    double at = 0; // among its row's words
};

// The first row of a kind with a word; the table is indexed when it is first asked.
const WordEntry* word_entry(WordKind kind, std::string_view word)
{
    static const auto index = []
    {
        std::array<std::unordered_map<std::string_view, WordEntry>, kKinds> all;
        for (const WordRow& row : kTable)
        {
            std::string_view rest = row.words;
            for (double at = 0; !rest.empty(); ++at)
            {
                const auto end = std::min(rest.find(' '), rest.size());
                all.at(static_cast<std::size_t>(row.kind)).emplace(rest.substr(0, end), WordEntry{&row, at});
                rest.remove_prefix(std::min(end + 1, rest.size()));
            }
        }
        return all;
    }();
    const auto& words = index.at(static_cast<std::size_t>(kind));
    const auto found = words.find(word);
    return found == words.end() ? nullptr : &found->second;
}

// What stands before "B", "bit" or "FLOP": short or in full; a lone small letter may be meant as a capital.
const Power* prefix(std::string_view text)
{
    if (text.empty())
    {
        return kPowersOfTen.data();
    }
    const Power* found = power_with(&Power::prefix, text);
    found = found ? found : power_with(&Power::long_prefix, small_letters(text));
    const char capital = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    const bool lone = !found && text.size() == 1 && text != "p" && text != "e";
    return lone ? power_with(&Power::prefix, std::string_view(&capital, 1)) : found;
}

// What a word with a prefix before it ends in.
struct Ending
{
    std::string_view text;
    Of of;
    double size = 1;
    std::string_view name = {};
    bool exact = false;      // this case only, and a prefix before it where it is in the plural
    bool per_second = false; // a rate where one is asked for
};

constexpr std::array kEndings{Ending{"bytes", Of::data, 1, "B"},
                              Ending{"byte", Of::data, 1, "B"},
                              Ending{"bits", Of::data, 0.125, "bit"},
                              Ending{"bit", Of::data, 0.125, "bit"},
                              Ending{"octets", Of::data, 1, "B"},
                              Ending{"B", Of::data, 1, "B", true},
                              Ending{"b", Of::data, 0.125, "bit", true},
                              Ending{"Bs", Of::data, 1, "B", true},
                              Ending{"bs", Of::data, 1, "B", true},
                              Ending{"o", Of::data, 1, "B", true},
                              Ending{"flops", Of::work, 1, "FLOP", false, true},
                              Ending{"flop", Of::work, 1, "FLOP"},
                              Ending{"operations", Of::work, 1, "FLOP"},
                              Ending{"operation", Of::work, 1, "FLOP"},
                              Ending{"ops", Of::work, 1, "FLOP", false, true},
                              Ending{"watthours", Of::energy, 3600, "Wh"},
                              Ending{"watthour", Of::energy, 3600, "Wh"},
                              Ending{"wh", Of::energy, 3600, "Wh"},
                              Ending{"joules", Of::energy, 1, "J"},
                              Ending{"joule", Of::energy, 1, "J"},
                              Ending{"J", Of::energy, 1, "J", true},
                              Ending{"watts", Of::energy, 1, "W", false, true},
                              Ending{"watt", Of::energy, 1, "W", false, true},
                              Ending{"W", Of::energy, 1, "W", true, true},
                              Ending{"usd", Of::money, 1, "USD"},
                              Ending{"Bps", Of::data, 1, "B/s", true, true},
                              Ending{"bps", Of::data, 0.125, "bit/s", true, true},
                              Ending{"gigs", Of::data, 1e9, "GB"},
                              Ending{"gig", Of::data, 1e9, "GB"},
                              Ending{"megs", Of::data, 1e6, "MB"},
                              Ending{"meg", Of::data, 1e6, "MB"},
                              Ending{"teras", Of::data, 1e12, "TB"}};

std::optional<UnitWord> prefixed_word(std::string_view word, bool bits)
{
    const std::string small = small_letters(word);
    for (const Ending& e : kEndings)
    {
        if (!(e.exact ? word : std::string_view(small)).ends_with(e.text))
        {
            continue;
        }
        const std::string_view before = word.substr(0, word.size() - e.text.size());
        const Power* p = prefix(before);
        const bool needs_prefix = e.exact && (e.text.size() > 1 || e.text == "o");
        const bool octets = e.text == "o" && !has_word("k M G T", before);
        const bool slang = e.size >= 1e6 && !before.empty(); // "gigs" takes no prefix
        if (!p || (needs_prefix && p->name.empty()) || octets || slang)
        {
            continue;
        }
        // "gb" in small letters is what was asked for; "Gb" is bits.
        const bool as_asked = e.text == "b" && word == small && !bits;
        const double size = as_asked ? 1 : e.size;
        return UnitWord{e.of, p->size * size, fmt::format("{}{}", p->name, as_asked ? "B" : e.name),
                        e.per_second};
    }
    return std::nullopt;
}

constexpr std::string_view kMore =
    "more longer faster higher larger greater increase slower bigger growth grow above extra";
constexpr std::string_view kLess = "less lower smaller fewer shorter decrease reduction reduced cheaper";

} // namespace

std::string stem_of(std::string_view word)
{
    std::string small = small_letters(word);
    std::erase(small, '-');
    if (small.ends_with("'s") || small.ends_with("'"))
    {
        small.resize(small.rfind('\''));
    }
    if (small.size() > 2 && small.ends_with("s") && !small.ends_with("ss") && !small.ends_with("us"))
    {
        small.pop_back();
    }
    return small;
}

std::optional<UnitWord> time_word(std::string_view word)
{
    const std::string small = word == "M" ? "" : small_letters(word);
    const WordEntry* t = word_entry(WordKind::time, small);
    t = t || small.size() < 3 ? t : word_entry(WordKind::time, stem_of(small));
    return t ? std::optional(UnitWord{Of::time, t->row->size, std::string(t->row->name)}) : std::nullopt;
}

std::optional<UnitWord> unit_word(std::string_view word, Of wanted, bool bits)
{
    const std::string small = small_letters(word);
    const bool pure = wanted == Of::percent || wanted == Of::ratio;
    if (const WordEntry* p = word_entry(WordKind::percent, small);
        p && (pure || (p->at < 6 && p->row->size == 0.01 && small != "pp")))
    {
        return UnitWord{Of::percent, p->row->size, std::string(p->row->name)};
    }
    if (word_entry(WordKind::ratio, small) && wanted != Of::none)
    {
        return UnitWord{Of::ratio, 1, "x"};
    }
    if (auto t = wanted == Of::time ? time_word(word) : std::nullopt)
    {
        return t;
    }
    if (const WordEntry* m = word_entry(WordKind::money, stem_of(small)))
    {
        return UnitWord{Of::money, m->row->size, "USD"};
    }
    const bool units = wanted == Of::data || wanted == Of::time || (pure && word == "B");
    if (!units && scale_word(word))
    {
        return std::nullopt;
    }
    if (auto d = prefixed_word(word, bits); d && !(wanted == Of::none && small.size() == 1))
    {
        return d;
    }
    if (auto t = time_word(word); t && small != "m")
    {
        return t;
    }
    // Only a prefix: "1.12 T" of bytes; "2 PF".
    const bool work = word.size() == 2 && word.ends_with('F');
    const bool short_form =
        (wanted == Of::data || wanted == Of::work) && (!scale_word(small) || small.size() < 3);
    const Power* p = work ? prefix(word.substr(0, 1)) : short_form ? prefix(word) : nullptr;
    const Of of = work ? Of::work : wanted;
    return p && !p->name.empty() ? std::optional(UnitWord{of, p->size * (of == Of::data && bits ? 0.125 : 1),
                                                          fmt::format("{}{}", p->name,
                                                                      of == Of::work ? "FLOP"
                                                                      : bits         ? "bit"
                                                                                     : "B")})
                                 : std::nullopt;
}

std::optional<ScaleWord> scale_word(std::string_view word)
{
    const Power* found = power_with(&Power::scale, word);
    found =
        found ? found : power_with(&Power::long_scale, word.size() > 2 ? stem_of(word) : small_letters(word));
    return found ? std::optional(ScaleWord{found->size, found->scale_name}) : std::nullopt;
}

std::string_view thing_named(std::string_view squashed)
{
    const WordEntry* found = word_entry(WordKind::thing, squashed);
    return found ? found->row->name : std::string_view{};
}

bool same_thing(std::string_view a, std::string_view b)
{
    return a == b || std::ranges::any_of(
                         kSame, [&](const auto& s)
                         { return (s.first == a && s.second == b) || (s.first == b && s.second == a); });
}

std::optional<double> number_part(NumberPart part, std::string_view word)
{
    constexpr std::array kKindOf{WordKind::number, WordKind::ten, WordKind::share, WordKind::ordinal,
                                 WordKind::factor};
    const std::string small = small_letters(word);
    const WordEntry* e = word_entry(kKindOf.at(static_cast<std::size_t>(part)), small);
    const bool plural = part == NumberPart::share && small.size() > 4; // "three quarters"
    e = e || !plural ? e : word_entry(WordKind::share, stem_of(small));
    if (!e && part == NumberPart::factor && small.ends_with("fold") && small.size() > 4)
    {
        return number_part(NumberPart::unit, small.substr(0, small.size() - 4)); // "tenfold"
    }
    const double n = e ? e->row->size + e->at : 0;
    return !e ? std::nullopt
              : std::optional(part == NumberPart::ten     ? 10 * n
                              : part == NumberPart::share ? 1 / n
                                                          : n);
}

bool is_number_word(std::string_view word)
{
    return number_part(NumberPart::unit, word) || number_part(NumberPart::ten, word) ||
           number_part(NumberPart::share, word) || number_part(NumberPart::factor, word);
}

Manner manner_of(std::string_view word)
{
    constexpr std::array kManners{
        std::pair{WordKind::each, Manner::each},    std::pair{WordKind::one_word, Manner::one_word},
        std::pair{WordKind::limit, Manner::limit},  std::pair{WordKind::denial, Manner::denial},
        std::pair{WordKind::hedge, Manner::hedge},  std::pair{WordKind::bound, Manner::bound},
        std::pair{WordKind::silent, Manner::silent}};
    const std::string small = small_letters(word);
    for (const auto& [kind, manner] : kManners)
    {
        if (word_entry(kind, small))
        {
            return manner;
        }
    }
    return word_entry(WordKind::silent, stem_of(small)) ? Manner::silent : Manner::unknown;
}

bool contradicts(std::string_view word, std::string_view sentence)
{
    const auto any = [&](std::string_view list)
    {
        bool found = false;
        for (std::size_t at = 0; at < list.size() && !found;)
        {
            const std::size_t end = std::min(list.find(' ', at), list.size());
            found = has_word(sentence, list.substr(at, end - at));
            at = end + 1;
        }
        return found;
    };
    const std::string stem = stem_of(word);
    return std::ranges::any_of(kContrasts, [&](const Contrast& c)
                               { return has_word(c.said, stem) && any(c.asked) && !any(c.unless); });
}

bool says_more(std::string_view word)
{
    return has_word(kMore, stem_of(word));
}

bool says_less(std::string_view word)
{
    return has_word(kLess, word) || has_word(kLess, stem_of(word));
}

} // namespace ringside
