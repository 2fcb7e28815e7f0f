#include "core/study/answers/units.h"

#include "core/base/text/find.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace ringside
{

namespace
{

// Each word of the lists of a table with its row; the first row that has it.
template <class Rows, class Row>
std::unordered_map<std::string_view, const Row*> vocabulary_of(const Rows& rows, std::string_view Row::*list)
{
    std::unordered_map<std::string_view, const Row*> words;
    for (const Row& row : rows)
    {
        for (const std::string_view word : trimmed_parts(row.*list, " "))
        {
            words.emplace(word, &row);
        }
    }
    return words;
}

// The row of a table with a word; null for none.
template <auto& kRows, auto kList>
const auto* row_with(std::string_view word)
{
    static const auto kWords = vocabulary_of(kRows, kList);
    const auto found = kWords.find(word);
    return found == kWords.end() ? nullptr : found->second;
}

// The place of a word in a list; nothing where it has none.
std::optional<double> place_in(std::string_view list, std::string_view word)
{
    const auto words = trimmed_parts(list, " ");
    const auto found = std::ranges::find(words, word);
    return found == words.end() ? std::nullopt : std::optional(static_cast<double>(found - words.begin()));
}

// A power of ten or two: before "B", "bit" or "FLOP", and behind a number.
struct Scale
{
    double size;
    std::string_view before;
    std::string_view behind;
};

constexpr std::array kScales{Scale{1e3, "k K kilo", "k K thousand thou grand"},
                             Scale{1e6, "M m mega", "M mn mio mil mill million"},
                             Scale{1e9, "G g giga", "G B b bn bln billion mrd"},
                             Scale{1e12, "T t tera", "T tn trn trillion"},
                             Scale{1e15, "P peta", "quadrillion"},
                             Scale{1e18, "E exa", "quintillion"},
                             Scale{1e21, "Z z zetta", "sextillion"},
                             Scale{1e24, "Y y yotta", "septillion"},
                             Scale{1024.0, "Ki ki kibi", "Ki"},
                             Scale{1048576.0, "Mi mi mebi", "Mi"},
                             Scale{1073741824.0, "Gi gi gibi", "Gi"},
                             Scale{1099511627776.0, "Ti ti tebi", "Ti"}};

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
    Prefixed prefixed = Prefixed::never;
    bool per_second = false;
};

constexpr std::array kUnitRows{UnitRow{"s sec second", "s", 1},
                               UnitRow{"ms msec millisec millisecond milli", "s", 1e-3},
                               UnitRow{"us usec microsec microsecond", "s", 1e-6},
                               UnitRow{"ns nsec nanosecond", "s", 1e-9},
                               UnitRow{"min minute", "s", 60},
                               UnitRow{"h hr hour", "s", 3600},
                               UnitRow{"d day", "s", 86400},
                               UnitRow{"w wk week", "s", 604800},
                               UnitRow{"mo month", "s", 2629800},
                               UnitRow{"y yr year", "s", 31557600},
                               UnitRow{"% percent pct percentage", "%", 0.01},
                               UnitRow{"permille", "%", 0.001},
                               UnitRow{"x X time fold", "x", 1},
                               UnitRow{"$ usd dollar buck", "USD", 1, Prefixed::may},
                               UnitRow{"gig", "B", 1e9},
                               UnitRow{"tok token", "tokens", 1, Prefixed::must}, // "Mtok"
                               UnitRow{"B byte", "B", 1, Prefixed::may},
                               UnitRow{"Bs o", "B", 1, Prefixed::must},
                               UnitRow{"Bps", "B", 1, Prefixed::must, true},
                               UnitRow{"bps", "B", 0.125, Prefixed::must, true},
                               UnitRow{"b bit", "B", 0.125, Prefixed::may},
                               UnitRow{"flop operation", "FLOP", 1, Prefixed::may},
                               UnitRow{"F", "FLOP", 1, Prefixed::must},
                               UnitRow{"Wh watthour", "J", 3600, Prefixed::may},
                               UnitRow{"J joule", "J", 1, Prefixed::may},
                               UnitRow{"W watt", "J", 1, Prefixed::may, true}};

// A name and its synonyms; words of several parts stand in one.
struct Thing
{
    std::string_view name;
    std::string_view stems;
};

constexpr std::array kThings{
    Thing{"GPUs", "gpu gpus card accelerator device chip h100 h200 a100 b100 b200 gb200 v100 a800 h800 tpu"},
    Thing{"workers", "worker loader"},
    Thing{"nodes", "node host machine server"},
    Thing{"tokens", "token tok tk"},
    Thing{"parameters", "parameter param weight"},
    Thing{"steps", "step iteration iter optimizerstep update"},
    Thing{"sequences", "sequence seq sample example"},
    Thing{"requests", "request prompt user query"},
    Thing{"micro-batches", "microbatch ubatch accumulationstep gradaccumstep ga"},
    Thing{"batches", "batch bs"},
    Thing{"layers", "layer transformerlayer"},
    Thing{"stages", "stage pipelinestage pp pipelineparallel pipelineparallelism"},
    Thing{"tensor parallelism", "tp tensordegree tensorparallel tensorparallelism"},
    Thing{"context parallelism", "cp contextdegree contextparallel contextparallelism"},
    Thing{"expert parallelism", "ep expertparallel expertparallelism"},
    Thing{"replicas", "replica dp copy dataparallel dataparallelreplica dataparallelgroup"},
    Thing{"groups", "group tensorgroup"},
    Thing{"heads", "head queryhead attentionhead kvhead"},
    Thing{"all-reduces", "allreduce ar"},
    Thing{"collectives", "collective call"},
    Thing{"transfers", "transfer message"},
    Thing{"epochs", "epoch pass"},
    Thing{"failures", "failure interruption crash fault incident"},
    Thing{"checkpoints", "checkpoint ckpt"},
    Thing{"elements", "element value entry"},
    Thing{"multiprocessors", "sm multiprocessor"},
    Thing{"documents", "document doc"},
    Thing{"jobs", "job run"},
    Thing{"biases", "bia biase"},
    Thing{"clusters", "cluster fleet"}};
// Those that are called nothing else.
constexpr std::string_view kPlainThings =
    "ZeRO all-to-alls all-gathers reduce-scatters boundaries ranks blocks "
    "experts chunks shards segments buckets hops answers nats adapters";
// Two names, near enough for each other.
constexpr std::string_view kSame =
    "GPUs=ranks workers=ranks hops=transfers hops=steps replicas=ranks collectives=all-reduces "
    "collectives=all-to-alls boundaries=stages chunks=shards requests=sequences batches=sequences "
    "parameters=elements layers=blocks";

constexpr std::string_view kOnes = "zero one two three four five six seven eight nine ten eleven twelve "
                                   "thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
constexpr std::string_view kTens = "- ten twenty thirty forty fifty sixty seventy eighty ninety hundred";
constexpr std::string_view kParts = "- - half third quarter fifth sixth seventh eighth ninth tenth eleventh "
                                    "twelfth - - - sixteenth - eighteenth - twentieth";

struct MannerRow
{
    Manner manner;
    std::string_view words;
};

constexpr std::array kManners{
    MannerRow{Manner::denial,
              "not isn't isnt no never neither nor don't doesn't cannot can't wrong false except "
              "unlike vs versus"},
    MannerRow{Manner::hedge,
              "about just approx approximately roughly circa ca around nearly almost some ~ "
              "somewhere near close ish give abt a bit little slightly est estimated under over up"},
    MannerRow{Manner::silent,
              "the it is are be its it's of in on at for to so we i i'd that this there by as from "
              "with then would will need factor gives give get gets makes result answer ans equals "
              "equal think guess say and each only exactly exact all total overall altogether "
              "together way them every after left least most minimum min maximum max so well level "
              "degree memory bandwidth should must can used needed yes th st nd rd"}};

// What a plural ends in, and its singular.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kPluralEndings{
    {{"ies", "y"}, {"ches", "ch"}, {"shes", "sh"}, {"sses", "ss"}, {"ss", "ss"}, {"us", "us"}, {"s", ""}}};

constexpr std::size_t kLongestPrefix = 5; // "tera"

std::optional<double> prefix_named(std::string_view before)
{
    const Scale* row =
        row_with<kScales, &Scale::before>(before.size() > 2 ? small_letters(before) : std::string(before));
    return before.empty() ? std::optional(1.0) : row ? std::optional(row->size) : std::nullopt;
}

// What a row makes of one of its own words behind a prefix; nothing where it cannot be there.
std::optional<Measure> in_row(const UnitRow& row, std::string_view own, std::string_view before,
                              std::string_view word, const Measure& asked)
{
    const auto scale = prefix_named(before);
    const bool octet = own == "o" && !has_word("k M G T", before);
    if (!scale || octet || row.prefixed == (before.empty() ? Prefixed::must : Prefixed::never))
    {
        return std::nullopt;
    }
    // "gb" in small letters is what is asked for, "Gb" is bits.
    const bool as_asked = own == "b" && word == small_letters(word) && asked.size != 0.125;
    Measure m{{{std::string(row.of), 1}}, *scale * (as_asked ? 1 : row.size)};
    if (row.per_second || (row.of == "FLOP" && small_letters(word).ends_with('s') && asked.power("s") < 0))
    {
        m.powers["s"] = -1;
    }
    return m;
}

} // namespace

bool has_word(std::string_view list, std::string_view word)
{
    const std::size_t at = word.empty() ? std::string_view::npos : list.find(word);
    const std::size_t end = at + word.size();
    return at != std::string_view::npos &&
           (((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) ||
            has_word(list.substr(at + 1), word));
}

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
    if (asked.power("%") != 0 && has_word("pp ppt pt point bp bps", stem_of(word)))
    {
        return Measure{{{"%", 1}}, word.starts_with("bp") ? 1e-4 : 0.01};
    }
    if (word == "m" && asked.power("s") > 0)
    {
        return Measure{{{"s", 1}}, 60};
    }
    // "GB" is a B behind a G: the first row with the end of the word, as it stands or its stem.
    const std::string stem = stem_of(word);
    std::optional<Measure> found;
    const UnitRow* first = kUnitRows.data() + kUnitRows.size();
    for (std::size_t split = 0; split <= kLongestPrefix && split < word.size(); ++split)
    {
        for (const std::string_view whole : {word, std::string_view(stem)})
        {
            const std::string_view own = whole.substr(std::min(split, whole.size()));
            const UnitRow* row = row_with<kUnitRows, &UnitRow::words>(own);
            const bool as_typed = own.size() == 1 || own.ends_with("ps") ||
                                  (own.size() == 2 && row && row->prefixed != Prefixed::never);
            const bool fits = row && row < first && whole == (as_typed ? word : stem);
            if (auto m = fits ? in_row(*row, own, word.substr(0, split), word, asked) : std::nullopt)
            {
                first = row;
                found = std::move(m);
            }
        }
    }
    return found;
}

std::optional<Measure> scale_named(std::string_view word)
{
    const Scale* row = row_with<kScales, &Scale::behind>(word.size() > 2 ? stem_of(word) : std::string(word));
    return row ? std::optional(Measure{{}, row->size}) : std::nullopt;
}

std::string_view thing_named(std::string_view stem)
{
    static const auto kPlain = trimmed_parts(kPlainThings, " ");
    const Thing* row = row_with<kThings, &Thing::stems>(stem);
    const auto plain = std::ranges::find_if(kPlain, [&](auto name) { return stem_of(name) == stem; });
    return row ? row->name : plain != kPlain.end() ? *plain : std::string_view{};
}

bool same_thing(std::string_view a, std::string_view b)
{
    const auto pair = [](std::string_view x, std::string_view y)
    { return has_word(kSame, std::string(x) + "=" + std::string(y)); };
    return a == b || pair(a, b) || pair(b, a);
}

std::optional<double> number_named(std::string_view word)
{
    const auto one = place_in(kOnes, small_letters(word));
    const auto ten = place_in(kTens, small_letters(word));
    return one ? one : ten ? std::optional(10 * *ten) : std::nullopt;
}

std::optional<double> part_named(std::string_view word)
{
    const auto place = place_in(kParts, stem_of(word));
    return place && *place > 1 ? std::optional(1.0 / *place) : std::nullopt;
}

Manner manner_of(std::string_view word)
{
    const MannerRow* row = row_with<kManners, &MannerRow::words>(small_letters(word));
    return row ? row->manner : Manner::unknown;
}

std::string stem_of(std::string_view word)
{
    std::string small = small_letters(word);
    std::erase(small, '-');
    if (const std::size_t mark = small.rfind('\''); mark != std::string::npos && mark + 2 >= small.size())
    {
        small.resize(mark); // "GPU's", "GPUs'"
    }
    const auto* plural =
        std::ranges::find_if(kPluralEndings, [&](const auto& p) { return small.ends_with(p.first); });
    if (plural != kPluralEndings.end() && small.size() > 2)
    {
        small.replace(small.size() - plural->first.size(), std::string::npos, plural->second);
    }
    return small;
}

} // namespace ringside
