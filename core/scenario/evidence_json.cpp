#include "core/scenario/evidence_json.h"

namespace ringside
{

namespace
{

using nlohmann::json;

constexpr JsonRule kFactor{.needed = true, .least = 0.01, .most = 100};
constexpr JsonRule kCount{.needed = true, .least = 0, .most = 1e9};
constexpr JsonRule kSpan{.needed = true, .least = 0, .most = 1e15};

// What a band of one rule ends at is a range.
template <class S>
void check_band(const JsonPlace& place, S& s)
{
    place.fault_if(s.low > s.high, "low", "is above high", "give the smaller factor as low");
}

// The kinds of a rule are checked, kept and written as they are.
void read_kinds(const JsonPlace& place, BandRule& rule)
{
    for (std::size_t i = 0; place.is_list() && i < place.value.size(); ++i)
    {
        measured_kind_table.read(place.entry(i), rule.kinds.emplace_back());
    }
}

const JsonTable<BandRule> kRuleTable{
    {
        {"low", &BandRule::low, kFactor},
        {"high", &BandRule::high, kFactor},
        {"widening", &BandRule::widening, {.needed = true, .least = 0, .most = 10}},
        {"coverage", &BandRule::coverage, {.needed = true, .least = 0, .most = 1}},
        {"rows", &BandRule::rows, kCount},
        {"sources", &BandRule::sources, kCount},
        {"kinds", read_kinds, kNeeded},
    },
    check_band<BandRule>};

void read_left_out(const JsonPlace& place, BandTable& table)
{
    if (!place.is_object("give {source: errors of its rows}"))
    {
        return;
    }
    for (const auto& [source, _] : place.value.items())
    {
        const JsonPlace list = place.member(source);
        std::vector<double>& errors = table.left_out[source];
        for (std::size_t i = 0; list.is_list() && i < list.value.size(); ++i)
        {
            read_value(list.entry(i), {.needed = true, .least = -1, .most = 1e6}, errors.emplace_back());
        }
    }
}

const JsonTable<BandTable> kEvidenceTable{{
    json_schema<BandTable>("ringside.bands/1"),
    {"note"},
    {"step", &BandTable::step, kRuleTable, kNeeded},
    {"memory", &BandTable::memory, kRuleTable, kNeeded},
    {"next_low", &BandTable::next_low, kFactor},
    {"next_high", &BandTable::next_high, kFactor},
    {"left_out", read_left_out, kNeeded},
}};

nlohmann::ordered_json rule_json(const BandRule& rule)
{
    nlohmann::ordered_json out = kRuleTable.write(rule);
    out["kinds"] = nlohmann::ordered_json::array();
    for (const MeasuredKind& kind : rule.kinds)
    {
        out["kinds"].push_back(measured_kind_table.write(kind));
    }
    return out;
}

} // namespace

const JsonTable<MeasuredKind> measured_kind_table{
    {
        {"source", &MeasuredKind::source, kNeeded},
        {"software", &MeasuredKind::software, kNeeded},
        {"gpu", &MeasuredKind::gpu, kNeeded},
        {"experts", &MeasuredKind::experts, kNeeded},
        {"rows", &MeasuredKind::rows, kCount},
        {"least_tokens", &MeasuredKind::least_tokens, kSpan},
        {"most_tokens", &MeasuredKind::most_tokens, kSpan},
        {"least_gpus", &MeasuredKind::least_gpus, kSpan},
        {"most_gpus", &MeasuredKind::most_gpus, kSpan},
        {"least_s", &MeasuredKind::least_s, kSpan},
        {"low", &MeasuredKind::low, {.least = 0, .most = 100}},
        {"high", &MeasuredKind::high, {.least = 0, .most = 100}},
    },
    check_band<MeasuredKind>};

Result<BandTable> bands_from_json(const json& document)
{
    Issues issues;
    BandTable evidence;
    kEvidenceTable.read({document, "", issues}, evidence);
    return issues.empty() ? Result<BandTable>(std::move(evidence)) : Result<BandTable>(std::move(issues));
}

nlohmann::ordered_json to_json(const BandTable& evidence)
{
    nlohmann::ordered_json out{
        {"schema", "ringside.bands/1"},
        {"note",
         "Computed by `ringside bench accuracy --bands`; core/scenario/evidence.h says how it is read, "
         "core/evaluate/bands.h how it is made."},
        {"step", rule_json(evidence.step)},
        {"memory", rule_json(evidence.memory)}};
    out["next_low"] = evidence.next_low;
    out["next_high"] = evidence.next_high;
    out["left_out"] = evidence.left_out;
    return out;
}

} // namespace ringside
