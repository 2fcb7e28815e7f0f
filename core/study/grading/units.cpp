#include "core/study/grading/units.h"

#include "core/base/text/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

std::optional<std::size_t> place_in(std::string_view list, std::string_view word)
{
    for (std::size_t place = 0; !list.empty() && !word.empty(); ++place)
    {
        const std::size_t end = std::min(list.find(' '), list.size());
        if (list.substr(0, end) == word)
        {
            return place;
        }
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return std::nullopt;
}

bool has_word(std::string_view list, std::string_view word)
{
    return place_in(list, word).has_value();
}

namespace
{

std::string_view word_at(std::string_view list, std::size_t place)
{
    for (; place > 0; --place)
    {
        list.remove_prefix(list.find(' ') + 1);
    }
    return list.substr(0, list.find(' '));
}

// A power of ten or two: before "B", "bit" or "FLOP", and behind a number.
struct TenPower
{
    double size;
    std::string_view name;   // before a unit
    std::string_view before; // spellings there
    std::string_view alone;  // behind a number
    std::string_view scale;  // said back there
};

constexpr std::array kTenPowers{TenPower{1, "", "", "", ""},
                                TenPower{1e3, "k", "k K kilo", "k K thousand thou grand", "k"},
                                TenPower{1e6, "M", "M m mega", "M mn mio mil mill million", "M"},
                                TenPower{1e9, "G", "G g giga", "G B b bn bln billion mrd", "B"},
                                TenPower{1e12, "T", "T t tera", "T tn trn trillion", "T"},
                                TenPower{1e15, "P", "P peta", "quadrillion", "quadrillion"},
                                TenPower{1e18, "E", "E exa", "quintillion", "quintillion"},
                                TenPower{1e21, "Z", "Z z zetta", "sextillion", "sextillion"},
                                TenPower{1e24, "Y", "Y y yotta", "septillion", "septillion"},
                                TenPower{1024.0, "Ki", "Ki ki kibi", "Ki", "Ki"},
                                TenPower{1048576.0, "Mi", "Mi mi mebi", "Mi", "Mi"},
                                TenPower{1073741824.0, "Gi", "Gi gi gibi", "Gi", "Gi"},
                                TenPower{1099511627776.0, "Ti", "Ti ti tebi", "Ti", "Ti"}};

enum class Prefixed : std::uint8_t
{
    never,
    may,
    must
};

struct UnitRow
{
    std::string_view words; // one or two letters as they stand, longer ones in any case
    std::string_view of;
    double size;
    std::string_view name;
    Prefixed prefixed = Prefixed::never;
    bool per_second = false;
};

constexpr std::array kUnitRows{UnitRow{"s sec second", "s", 1, "s"},
                               UnitRow{"ms msec millisec millisecond milli", "s", 1e-3, "ms"},
                               UnitRow{"us usec microsec microsecond", "s", 1e-6, "\u00b5s"},
                               UnitRow{"ns nsec nanosecond", "s", 1e-9, "ns"},
                               UnitRow{"min minute", "s", 60, "min"},
                               UnitRow{"h hr hour", "s", 3600, "h"},
                               UnitRow{"d day", "s", 86400, "d"},
                               UnitRow{"w wk week", "s", 604800, "weeks"},
                               UnitRow{"mo month", "s", 2629800, "months"},
                               UnitRow{"y yr year", "s", 31557600, "years"},
                               UnitRow{"% percent pct percentage", "%", 0.01, "%"},
                               UnitRow{"permille", "%", 0.001, "\u2030"},
                               UnitRow{"x X time fold", "x", 1, "x"},
                               UnitRow{"$ usd dollar buck", "USD", 1, "USD", Prefixed::may},
                               UnitRow{"gig", "B", 1e9, "GB"},
                               UnitRow{"B byte", "B", 1, "B", Prefixed::may},
                               UnitRow{"Bs o", "B", 1, "B", Prefixed::must},
                               UnitRow{"Bps", "B", 1, "B/s", Prefixed::must, true},
                               UnitRow{"bps", "B", 0.125, "bit/s", Prefixed::must, true},
                               UnitRow{"b bit", "B", 0.125, "bit", Prefixed::may},
                               UnitRow{"flop operation", "FLOP", 1, "FLOP", Prefixed::may},
                               UnitRow{"F", "FLOP", 1, "FLOP", Prefixed::must},
                               UnitRow{"Wh watthour", "J", 3600, "Wh", Prefixed::may},
                               UnitRow{"J joule", "J", 1, "J", Prefixed::may},
                               UnitRow{"W watt", "J", 1, "W", Prefixed::may, true}};

struct ThingRow
{
    std::string_view stems; // words of several parts in one
    std::string_view name;
};

constexpr std::array kThings{
    ThingRow{"gpu gpus card accelerator device chip h100 h200 a100 b100 b200 "
             "gb200 v100 a800 h800 l40 mi300 tpu",
             "GPUs"},
    ThingRow{"worker loader", "workers"},
    ThingRow{"node host machine server", "nodes"},
    ThingRow{"token tok tk", "tokens"},
    ThingRow{"parameter param weight", "parameters"},
    ThingRow{"step iteration iter optimizerstep update", "steps"},
    ThingRow{"sequence seq sample example", "sequences"},
    ThingRow{"request prompt user query", "requests"},
    ThingRow{"microbatch ubatch ubatche microbatche mbatch mbs "
             "accumulationstep gradaccumstep ga",
             "micro-batches"},
    ThingRow{"batch batche bs gbs", "batches"},
    ThingRow{"layer transformerlayer", "layers"},
    ThingRow{"stage pipelinestage pp pipelineparallel pipelineparallelism", "stages"},
    ThingRow{"tp tensordegree tensorparallel tensorparallelism", "tensor parallelism"},
    ThingRow{"cp contextdegree contextparallel contextparallelism", "context parallelism"},
    ThingRow{"ep expertparallel expertparallelism", "expert parallelism"},
    ThingRow{"zero", "ZeRO"},
    ThingRow{"replica dp copy copie dataparallel dataparallelreplica "
             "dataparallelgroup",
             "replicas"},
    ThingRow{"group tensorgroup", "groups"},
    ThingRow{"head queryhead attentionhead kvhead", "heads"},
    ThingRow{"allreduce ar", "all-reduces"},
    ThingRow{"alltoall", "all-to-alls"},
    ThingRow{"allgather", "all-gathers"},
    ThingRow{"reducescatter", "reduce-scatters"},
    ThingRow{"collective call", "collectives"},
    ThingRow{"transfer message", "transfers"},
    ThingRow{"epoch pass passe", "epochs"},
    ThingRow{"failure interruption crash crashe fault incident", "failures"},
    ThingRow{"checkpoint ckpt", "checkpoints"},
    ThingRow{"element value entry", "elements"},
    ThingRow{"sm multiprocessor", "multiprocessors"},
    ThingRow{"document doc", "documents"},
    ThingRow{"job run", "jobs"},
    ThingRow{"boundary boundarie", "boundaries"},
    ThingRow{"bias biase", "biases"},
    ThingRow{"cluster fleet", "clusters"}};
constexpr std::string_view kOtherThings =
    "ranks blocks experts chunks shards segments buckets hops questions "
    "answers nats adapters columns";

// Two names, near enough for each other.
constexpr std::string_view kSame = "GPUs=ranks workers=ranks hops=transfers hops=steps replicas=ranks "
                                   "collectives=all-reduces "
                                   "collectives=all-to-alls boundaries=stages chunks=shards "
                                   "requests=sequences batches=sequences "
                                   "parameters=elements layers=blocks";

constexpr std::string_view kSilent =
    "the it is are be its it's of in on at for to so we i i'd that this there "
    "by as from with then would will "
    "need factor gives give get gets makes result answer ans equals equal think guess "
    "say and each only exactly "
    "exact all total overall altogether together way them every after left "
    "least most minimum min maximum max "
    "or-so so well per level degree memory bandwidth should must can used "
    "needed yes";
constexpr std::string_view kHedges = "about just approx approximately roughly circa ca around nearly almost "
                                     "some ~ somewhere near close ish "
                                     "give abt a bit little slightly est estimated";
constexpr std::string_view kDenials = "not isn't isnt no never neither nor don't doesn't cannot can't wrong "
                                      "false except unlike vs versus";

const TenPower* prefix_named(std::string_view before)
{
    const std::string small = small_letters(before);
    const auto found = std::ranges::find_if(
        kTenPowers, [&](const TenPower& p)
        { return before == p.name || has_word(p.before, before.size() > 2 ? small : before); });
    return found == kTenPowers.end() ? nullptr : &*found;
}

// What the row makes of a word that ends in one of its own; nothing for another
// word.
std::optional<Measure> in_row(const UnitRow& row, std::string_view word, std::string_view stem,
                              const Measure& asked)
{
    for (std::string_view list = row.words; !list.empty();)
    {
        const std::string_view own = list.substr(0, list.find(' '));
        list.remove_prefix(std::min(own.size() + 1, list.size()));
        const bool letter = own.size() == 1 || (own.size() < 3 && row.prefixed != Prefixed::never);
        const bool exact = letter || own.ends_with("ps");
        const std::string_view whole = exact ? word : stem;
        if (!whole.ends_with(own) || (row.prefixed == Prefixed::never && whole != own))
        {
            continue;
        }
        const std::string_view before = word.substr(0, whole.size() - own.size());
        const TenPower* p = prefix_named(before);
        // "gb" in small letters is what is asked for, "Gb" is bits.
        const bool as_asked = own == "b" && word == small_letters(word) && asked.size != 0.125;
        const bool octet = own == "o" && !has_word("k M G T", before);
        if (p && !octet && (row.prefixed != Prefixed::must || p->size != 1))
        {
            Measure m{{{std::string(row.of), 1}}, p->size * (as_asked ? 1 : row.size), std::string(p->name)};
            m.name += as_asked ? "B" : row.name;
            const bool flops = row.of == "FLOP" && small_letters(word).ends_with('s') && asked.power("s") < 0;
            row.per_second || flops ? void(m.powers["s"] = -1) : void();
            m.name += flops ? "/s" : "";
            return m;
        }
    }
    return std::nullopt;
}

} // namespace

int Measure::power(std::string_view of) const
{
    const auto found = powers.find(of);
    return found == powers.end() ? 0 : found->second;
}

bool is_physical(std::string_view of)
{
    return has_word("B s FLOP J USD % x", of);
}

bool Measure::physical() const
{
    return std::ranges::any_of(powers, [](const auto& p) { return is_physical(p.first); });
}

void Measure::multiply(const Measure& other, int sign)
{
    for (const auto& [of, power] : other.powers)
    {
        if ((powers[of] += sign * power) == 0)
        {
            powers.erase(of);
        }
    }
    size *= sign > 0 ? other.size : 1 / other.size;
}

std::optional<Measure> unit_named(std::string_view word, const Measure& asked)
{
    const std::string stem = stem_of(word);
    if (asked.power("%") != 0 && has_word("pp ppt pt point", stem))
    {
        return Measure{{{"%", 1}}, 0.01, "points"};
    }
    if (asked.power("%") != 0 && has_word("bp bps", word))
    {
        return Measure{{{"%", 1}}, 1e-4, "basis points"};
    }
    if (word == "m" && asked.power("s") > 0)
    {
        return Measure{{{"s", 1}}, 60, "min"};
    }
    for (const UnitRow& row : kUnitRows)
    {
        if (auto m = in_row(row, word, stem, asked))
        {
            return m;
        }
    }
    return std::nullopt;
}

std::optional<Measure> scale_named(std::string_view word)
{
    const std::string stem = word.size() > 2 ? stem_of(word) : std::string(word);
    const auto found =
        std::ranges::find_if(kTenPowers, [&](const TenPower& p) { return has_word(p.alone, stem); });
    return found == kTenPowers.end() ? std::nullopt
                                     : std::optional(Measure{{}, found->size, std::string(found->scale)});
}

std::string_view thing_named(std::string_view stem)
{
    const auto found =
        std::ranges::find_if(kThings, [&](const ThingRow& row) { return has_word(row.stems, stem); });
    const auto other = place_in(kOtherThings, std::string(stem) + "s");
    return found != kThings.end() ? found->name : other ? word_at(kOtherThings, *other) : std::string_view{};
}

bool same_thing(std::string_view a, std::string_view b)
{
    const auto pair = [](std::string_view x, std::string_view y)
    { return has_word(kSame, std::string(x) + "=" + std::string(y)); };
    return a == b || pair(a, b) || pair(b, a);
}

Manner manner_of(std::string_view word)
{
    const std::string small = small_letters(word);
    return has_word(kDenials, small)  ? Manner::denial
           : has_word(kHedges, small) ? Manner::hedge
           : has_word(kSilent, small) ? Manner::silent
                                      : Manner::unknown;
}

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

} // namespace ringside
