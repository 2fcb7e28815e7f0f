#include "core/study/grading/vocabulary.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <type_traits>
#include <unordered_map>

namespace ringside
{

namespace
{

struct Worded
{
    std::string_view words; // with blanks between
    double size = 1;
    std::string_view name = {}; // as it is said back
};

constexpr std::array kPrefixes{Worded{"k", 1e3, "k"},
                               Worded{"M", 1e6, "M"},
                               Worded{"G", 1e9, "G"},
                               Worded{"T", 1e12, "T"},
                               Worded{"P", 1e15, "P"},
                               Worded{"E", 1e18, "E"},
                               Worded{"Z", 1e21, "Z"},
                               Worded{"Y", 1e24, "Y"},
                               Worded{"Ki", 1024.0, "Ki"},
                               Worded{"Mi", 1048576.0, "Mi"},
                               Worded{"Gi", 1073741824.0, "Gi"},
                               Worded{"Ti", 1099511627776.0, "Ti"},
                               Worded{"Pi", 1125899906842624.0, "Pi"}};
constexpr std::array kLongPrefixes{Worded{"kilo", 1e3, "k"},
                                   Worded{"mega", 1e6, "M"},
                                   Worded{"giga gig", 1e9, "G"},
                                   Worded{"tera", 1e12, "T"},
                                   Worded{"peta", 1e15, "P"},
                                   Worded{"exa", 1e18, "E"},
                                   Worded{"zetta", 1e21, "Z"},
                                   Worded{"yotta", 1e24, "Y"},
                                   Worded{"kibi ki", 1024.0, "Ki"},
                                   Worded{"mebi mi", 1048576.0, "Mi"},
                                   Worded{"gibi gi", 1073741824.0, "Gi"},
                                   Worded{"tebi ti", 1099511627776.0, "Ti"},
                                   Worded{"thousand", 1e3, "k"},
                                   Worded{"million mn", 1e6, "M"},
                                   Worded{"billion bn", 1e9, "G"},
                                   Worded{"trillion tn", 1e12, "T"}};
constexpr std::array kTimes{Worded{"s sec second", 1, "s"},
                            Worded{"ms msec millisec millisecond millis", 1e-3, "ms"},
                            Worded{"us usec microsec microsecond micros", 1e-6, "\u00b5s"},
                            Worded{"ns nsec nanosecond", 1e-9, "ns"},
                            Worded{"min minute", 60, "min"},
                            Worded{"m", 60, "m"},
                            Worded{"h hr hour", 3600, "h"},
                            Worded{"d day", 86400, "d"},
                            Worded{"w wk week", 604800, "weeks"},
                            Worded{"mo mth month", 2629800, "months"},
                            Worded{"y yr year", 31557600, "years"}};
constexpr std::array kScales{Worded{"k K Ki thousand thou grand", 1e3, "k"},
                             Worded{"M m mn mm mio mil mill million", 1e6, "M"},
                             Worded{"B b G bn bln bil billion", 1e9, "B"},
                             Worded{"T t tn trn tril trillion", 1e12, "T"},
                             Worded{"P quadrillion", 1e15, "P"},
                             Worded{"quintillion", 1e18, "E"},
                             Worded{"sextillion", 1e21, "Z"},
                             Worded{"septillion", 1e24, "Y"},
                             Worded{"hundred", 100, "hundred"},
                             Worded{"dozen", 12, "dozen"}};
constexpr std::array kBinaryScales{Worded{"Ki kibi", 1024.0, "Ki"}, Worded{"Mi mebi", 1048576.0, "Mi"},
                                   Worded{"Gi gibi", 1073741824.0, "Gi"}};
constexpr std::array kMoney{Worded{"usd us$ $ dollar buck", 1, ""}, Worded{"cent \u00a2", 0.01, ""}};
constexpr std::array kNumbers{Worded{"zero none", 0},
                              Worded{"one", 1},
                              Worded{"two", 2},
                              Worded{"three", 3},
                              Worded{"four", 4},
                              Worded{"five", 5},
                              Worded{"six", 6},
                              Worded{"seven", 7},
                              Worded{"eight", 8},
                              Worded{"nine", 9},
                              Worded{"ten", 10},
                              Worded{"eleven", 11},
                              Worded{"twelve", 12},
                              Worded{"thirteen", 13},
                              Worded{"fourteen", 14},
                              Worded{"fifteen", 15},
                              Worded{"sixteen", 16},
                              Worded{"seventeen", 17},
                              Worded{"eighteen", 18},
                              Worded{"nineteen", 19},
                              Worded{"twenty", 20},
                              Worded{"thirty", 30},
                              Worded{"forty fourty", 40},
                              Worded{"fifty", 50},
                              Worded{"sixty", 60},
                              Worded{"seventy", 70},
                              Worded{"eighty", 80},
                              Worded{"ninety", 90},
                              Worded{"half halved", 0.5},
                              Worded{"third", 1.0 / 3},
                              Worded{"quarter fourth", 0.25},
                              Worded{"fifth", 0.2},
                              Worded{"eighth", 0.125},
                              Worded{"ninth", 1.0 / 9},
                              Worded{"twelfth", 1.0 / 12},
                              Worded{"twentieth", 0.05},
                              Worded{"hundredth", 0.01},
                              Worded{"thousandth", 0.001}};

struct Thing
{
    std::string_view name;
    std::string_view words;
};

constexpr std::array kThings{
    Thing{
        "GPUs",
        "gpu card accelerator device chip gpus h100 h200 a100 b100 b200 gb200 v100 a800 h800 l40 mi300 tpu"},
    Thing{"ranks", "rank"},
    Thing{"workers", "worker loader"},
    Thing{"nodes", "node host machine server box"},
    Thing{"tokens", "token tok tk"},
    Thing{"parameters", "parameter param weight par"},
    Thing{"steps", "step iteration iter optimizerstep update"},
    Thing{"sequences", "sequence seq sample example"},
    Thing{"requests", "request prompt user query"},
    Thing{"micro-batches", "microbatch ubatch ubatche ub microbatche mbatch accumulationstep gradaccumstep "
                           "accumstep gradientaccumulationstep"},
    Thing{"batches", "batch batche"},
    Thing{"layers", "layer block transformerlayer transformerblock"},
    Thing{"stages", "stage pipelinestage pp pipelinedegree pipelineparallel pipelineparallelism"},
    Thing{"tensor parallelism", "tp tensordegree tensorparallel tensorparallelism tensorway"},
    Thing{"context parallelism", "cp contextdegree contextparallel contextparallelism"},
    Thing{"expert parallelism", "ep expertparallel expertparallelism"},
    Thing{"ZeRO", "zero"},
    Thing{"replicas", "replica dp copy copie dataparallel dataparallelism ddp dpgroup dataparallelgroup "
                      "dataparallelrank dprank "
                      "dataparallelreplica"},
    Thing{"groups", "group tensorgroup"},
    Thing{"experts", "expert"},
    Thing{"heads", "head queryhead attentionhead kvhead"},
    Thing{"chunks", "chunk piece"},
    Thing{"shards", "shard"},
    Thing{"segments", "segment"},
    Thing{"buckets", "bucket"},
    Thing{"hops", "hop"},
    Thing{"all-reduces", "allreduce ar allreduction"},
    Thing{"all-to-alls", "alltoall all2all a2a alltoallv"},
    Thing{"all-gathers", "allgather ag"},
    Thing{"reduce-scatters", "reducescatter rs"},
    Thing{"collectives", "collective call"},
    Thing{"transfers", "transfer message"},
    Thing{"epochs", "epoch pass passe"},
    Thing{"failures", "failure interruption crash crashe fault incident outage"},
    Thing{"checkpoints", "checkpoint ckpt"},
    Thing{"questions", "question"},
    Thing{"answers", "answer"},
    Thing{"elements", "element value number entry"},
    Thing{"nats", "nat"},
    Thing{"multiprocessors", "sm multiprocessor"},
    Thing{"documents", "document doc"},
    Thing{"clusters", "cluster fleet"},
    Thing{"jobs", "job run"},
    Thing{"boundaries", "boundary boundarie"},
};

// Two names, near enough for each other.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kSame{
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
     {"tensor parallelism", "ranks"}}};

constexpr std::string_view kSilent =
    "the it is are be it's its s of in on at for to so we i you that this there which as by from with and "
    "then "
    "would should will can could must takes take need needs needed required require takes gives give get "
    "gets "
    "makes total totals totalling result answer ans sum value equals equal i.e ie e.g think guess believe "
    "say "
    "maybe probably perhaps please about or so hence thus therefore rounded rounding up down overall "
    "altogether together combined "
    "in all only just exactly precisely exact pretty much more less fits fit hold holds held used use uses "
    "using "
    "left free remaining extra additional different separate full whole distinct concurrent memory vram hbm "
    "ram "
    "dram storage space disk data traffic state bandwidth wide long large big high apart time times "
    "decimal nominal peak max maximum min minimum least most worst best case average mean avg expected "
    "training model global local effective optimal size length degree level way ways factor scale "
    "parallel data-parallel things items units pieces ones them each all both every per same as many much "
    "fast faster slow slower larger smaller bigger shorter longer higher lower greater fewer cheaper quicker "
    "growth increase decrease reduction speedup speed-up improvement better worse grows shrinks drop rise "
    "saved saving savings lost kept idle wasted waste "
    "seen yes ok ish hmm hm well um okay sorry like right correct ie. my your our one a an any single "
    "sent send received transferred moved held stored read written copied computed processed generated "
    "trained "
    "efficient efficiency utilization utilisation utilised utilized empty unused perplexity ppl loss roughly "
    "speaking back envelope calculation ballpark order magnitude assuming assuming including included "
    "excluding "
    "excluded overhead counting counted if when because since due based using formula rule thumb final "
    "calculated without plus spare bf16 fp16 fp32 fp8 fp4 int8 int4 nf4 tf32 e4m3 e5m2 mixed precision "
    "once between from across sxm pcie 80gb 40gb nvidia hopper ampere";
constexpr std::string_view kHedges =
    "about approx approximately roughly circa ca c around nearly almost some ~ "
    "approximative somewhere near close ish give take abt aprox appx est "
    "estimated estimate";
constexpr std::string_view kBounds = "over under above below than exceeds beyond";
constexpr std::string_view kSoftly = "bit little slightly just tad hair touch barely somewhat";
constexpr std::string_view kDenials =
    "not isn't isnt aren't never no don't dont doesn't doesnt neither nor wrong false cannot can't "
    "instead unlike except unknown idk dunno";

struct Mannered
{
    Manner manner;
    std::string_view words;
};

// Of a word in two rows, the first says what it is.
constexpr std::array kManners{
    Mannered{Manner::each, "each every per"}, Mannered{Manner::one_word, "a an one any single"},
    Mannered{Manner::denial, kDenials},       Mannered{Manner::hedge, kHedges},
    Mannered{Manner::hedge, kSoftly},         Mannered{Manner::bound, kBounds},
    Mannered{Manner::silent, kSilent}};

bool has(std::string_view list, std::string_view word)
{
    for (std::size_t at = list.find(word); at != std::string_view::npos && !word.empty();
         at = list.find(word, at + 1))
    {
        const bool starts = at == 0 || list[at - 1] == ' ';
        const std::size_t end = at + word.size();
        if (starts && (end == list.size() || list[end] == ' '))
        {
            return true;
        }
    }
    return false;
}

// The first row of a table with a word; each table is indexed when it is first asked.
template <const auto& kTable>
auto find(std::string_view word)
{
    using Row = std::remove_cvref_t<decltype(kTable[0])>;
    static const auto rows = []
    {
        std::unordered_map<std::string_view, const Row*> index;
        for (const Row& row : kTable)
        {
            for (std::string_view rest = row.words; !rest.empty();)
            {
                const auto end = std::min(rest.find(' '), rest.size());
                index.emplace(rest.substr(0, end), &row);
                rest.remove_prefix(std::min(end + 1, rest.size()));
            }
        }
        return index;
    }();
    const auto found = rows.find(word);
    return found == rows.end() ? nullptr : found->second;
}

// What stands before "B", "bit" or "FLOP": short or in full; a lone small letter may be meant as a capital.
const Worded* prefix(std::string_view text)
{
    static constexpr Worded kNone{"", 1, ""};
    const Worded* found = text.empty() ? &kNone : find<kPrefixes>(text);
    found = found ? found : find<kLongPrefixes>(small_letters(text));
    if (!found && text.size() == 1 && text != "p" && text != "e")
    {
        const char c = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
        found = find<kPrefixes>(c == 'K' ? "k" : std::string_view(&c, 1));
    }
    return found;
}

struct Ending
{
    std::string_view text;
    double size;
    bool exact; // this case only
};

std::optional<UnitWord> data_word(std::string_view word, bool bits)
{
    const std::string small = small_letters(word);
    // "gb" in small letters is what was asked for; "Gb" is bits.
    const bool no_capital = word == small;
    constexpr std::array kEndings{
        Ending{"bytes", 1, false},   Ending{"byte", 1, false},   Ending{"bits", 0.125, false},
        Ending{"bit", 0.125, false}, Ending{"B", 1, true},       Ending{"b", 0.125, true},
        Ending{"Bs", 1, true},       Ending{"gigs", 1e9, false}, Ending{"gig", 1e9, false},
        Ending{"megs", 1e6, false},  Ending{"meg", 1e6, false},  Ending{"teras", 1e12, false},
        Ending{"bs", 1, true}};
    for (const Ending& e : kEndings)
    {
        const std::string_view in = e.exact ? word : std::string_view(small);
        const bool whole = e.size > 1; // "gigs" takes no prefix
        if (!in.ends_with(e.text) || (whole && in != e.text))
        {
            continue;
        }
        const Worded* p = prefix(word.substr(0, word.size() - e.text.size()));
        if (!p || (e.text.ends_with("s") && e.exact && p->name.empty()))
        {
            continue;
        }
        const bool guessed = e.text == "b" && no_capital;
        const double size = guessed && !bits ? 1 : e.size;
        const std::string_view name = whole ? (e.size == 1e9 ? "G" : e.size == 1e6 ? "M" : "T") : p->name;
        return UnitWord{Of::data, p->size * size, fmt::format("{}{}", name, size < 1 ? "bit" : "B")};
    }
    return std::nullopt;
}

std::optional<UnitWord> work_word(std::string_view word)
{
    const std::string small = small_letters(word);
    for (const std::string_view ending : {"flops", "flop", "operations", "operation", "ops"})
    {
        if (small.ends_with(ending))
        {
            const Worded* p = prefix(word.substr(0, word.size() - ending.size()));
            // "FLOPS" is a rate where one is asked for, and a count elsewhere.
            return p ? std::optional(UnitWord{Of::work, p->size, fmt::format("{}FLOP", p->name),
                                              ending == "flops" || ending == "ops"})
                     : std::nullopt;
        }
    }
    // "PF"
    const Worded* p = word.size() == 2 && word.ends_with('F') ? prefix(word.substr(0, 1)) : nullptr;
    return p ? std::optional(UnitWord{Of::work, p->size, fmt::format("{}FLOP", p->name)}) : std::nullopt;
}

} // namespace

std::string stem_of(std::string_view word)
{
    std::string small = small_letters(word);
    std::erase(small, '-');
    if (small.ends_with("'s"))
    {
        small.resize(small.size() - 2);
    }
    if (small.ends_with("'"))
    {
        small.pop_back();
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
    const Worded* t = find<kTimes>(small);
    t = t || small.size() < 3 ? t : find<kTimes>(stem_of(small));
    return t ? std::optional(UnitWord{Of::time, t->size, std::string(t->name)}) : std::nullopt;
}

std::optional<UnitWord> unit_word(std::string_view word, Of wanted, bool bits)
{
    const std::string small = small_letters(word);
    if (has("% percent pct percentage perc pp ppt pts point points percents", small) &&
        (wanted == Of::percent || wanted == Of::ratio ||
         (small != "pp" && small != "point" && small != "points")))
    {
        return UnitWord{Of::percent, 0.01, "%"};
    }
    if (has("x times fold", small) && wanted != Of::none)
    {
        return UnitWord{Of::ratio, 1, "x"};
    }
    if (wanted == Of::time)
    {
        if (auto t = time_word(word))
        {
            return t;
        }
    }
    if (const Worded* m = find<kMoney>(stem_of(small)); m || small == "$")
    {
        return UnitWord{Of::money, m ? m->size : 1, "USD"};
    }
    if (auto w = work_word(word))
    {
        return w;
    }
    const bool scales = (wanted == Of::ratio || wanted == Of::percent) && word == "B"
                            ? false
                            : wanted == Of::none || wanted == Of::money || wanted == Of::percent ||
                                  wanted == Of::ratio || wanted == Of::work;
    if (scales && scale_word(word))
    {
        return std::nullopt;
    }
    if (small.size() > 3 && small.ends_with("ps"))
    {
        if (auto d = data_word(word.substr(0, word.size() - 2), true); d && d->size != 0.125)
        {
            const bool bytes = word[word.size() - 3] == 'B';
            d->size *= bytes && d->name.ends_with("bit") ? 8 : 1;
            d->name =
                bytes && d->name.ends_with("bit") ? d->name.substr(0, d->name.size() - 3) + "B" : d->name;
            d->per_second = true;
            return d;
        }
    }
    if (auto d = data_word(word, bits); d && !(wanted == Of::none && small.size() == 1))
    {
        return d;
    }
    if (auto t = time_word(word); t && small != "m")
    {
        return t;
    }
    // Only a prefix: "1.12 T" of bytes.
    const bool short_form = !scale_word(small) || small.size() < 3;
    const Worded* p = short_form && (wanted == Of::data || wanted == Of::work) ? prefix(word) : nullptr;
    return p && !p->name.empty()
               ? std::optional(UnitWord{wanted, p->size * (wanted == Of::data && bits ? 0.125 : 1),
                                        fmt::format("{}{}", p->name,
                                                    wanted == Of::work ? "FLOP"
                                                    : bits             ? "bit"
                                                                       : "B")})
               : std::nullopt;
}

std::optional<ScaleWord> scale_word(std::string_view word)
{
    const Worded* found = find<kBinaryScales>(word);
    found = found ? found : find<kScales>(word);
    if (!found && word.size() > 2)
    {
        const std::string small = stem_of(word);
        found = find<kScales>(small);
    }
    found = found || word.size() != 2 ? found : find<kScales>(small_letters(word)); // "MN", "Bn"
    return found ? std::optional(ScaleWord{found->size, found->name}) : std::nullopt;
}

std::string_view thing_named(std::string_view squashed)
{
    const Thing* found = find<kThings>(squashed);
    return found ? found->name : std::string_view{};
}

bool same_thing(std::string_view a, std::string_view b)
{
    return a == b ||
           std::any_of(kSame.begin(), kSame.end(),
                       [&](const auto& s)
                       { return (s.first == a && s.second == b) || (s.first == b && s.second == a); });
}

std::optional<double> number_word(std::string_view word)
{
    const std::string small = small_letters(word);
    const Worded* found = find<kNumbers>(small);
    const Worded* part = found ? nullptr : find<kNumbers>(stem_of(small)); // "three quarters"
    found = part && part - kNumbers.data() >= 28 ? part : found;
    if (!found && small.ends_with("th"))
    {
        found = find<kNumbers>(std::string_view(small).substr(0, small.size() - 2));
        return found && found->size >= 4 ? std::optional(1 / found->size) : std::nullopt; // "a sixteenth"
    }
    return found ? std::optional(found->size) : std::nullopt;
}

Manner manner_of(std::string_view word)
{
    const std::string small = small_letters(word);
    if (const Mannered* found = find<kManners>(small))
    {
        return found->manner;
    }
    const Mannered* stem = find<kManners>(stem_of(small));
    return stem && stem->manner == Manner::silent ? Manner::silent : Manner::unknown;
}

namespace
{

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
    Contrast{"ideal", "total step time wall", "ideal"},
    Contrast{"total wall", "ideal", "total wall"},
    Contrast{"hfu", "mfu", "hfu"},
    Contrast{"mfu", "hfu", "mfu"},
    Contrast{"forward", "backward", "forward"},
    Contrast{"backward", "forward", "backward"},
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
    Contrast{"activation", "gradient weight state optimizer moment cache", "activation"},
    Contrast{"optimizer", "gradient weight activation cache", "optimizer state moment"},
    Contrast{"cache kv", "weight gradient activation", "cache"},
    Contrast{"goodput kept", "lost loss wasted", "goodput"},
    Contrast{"eur euro gbp pound yen chf yuan rmb rupee", "cost much pay price save", ""},
    Contrast{"kwh mwh gwh joule", "cost pay price", ""},
    Contrast{"busy useful used", "idle bubble lost wait empty unused", "busy useful used"},
    Contrast{"idle bubble lost wasted", "mfu hfu efficiency useful", "idle bubble lost"},
};

} // namespace

bool contradicts(std::string_view word, std::string_view sentence)
{
    const auto any = [&](std::string_view list)
    {
        while (!list.empty())
        {
            const auto end = std::min(list.find(' '), list.size());
            if (has(sentence, list.substr(0, end)))
            {
                return true;
            }
            list.remove_prefix(std::min(end + 1, list.size()));
        }
        return false;
    };
    const std::string stem = stem_of(word);
    return std::any_of(kContrasts.begin(), kContrasts.end(),
                       [&](const Contrast& c)
                       { return has(c.said, stem) && any(c.asked) && !any(c.unless); });
}

} // namespace ringside
