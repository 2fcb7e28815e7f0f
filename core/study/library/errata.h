// Where the sources contradict each other, are wrong or leave something out: what is claimed, what is true,
// and the numbers of both from the engine, for any numbers. Read from assets/study/errata.json; families of
// questions name them by id.
//
// Claim and truth are two expressions over the same parameters; `check` refuses two that print alike.
// Controls rest at doublings and stop where a condition or the engine refuses.
#pragma once

#include "core/study/questions/coverage.h"
#include "core/study/questions/wording.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

enum class ErratumKind : std::uint8_t
{
    contradiction, // sources say different things
    wrong,
    imprecise, // true under conditions that are not said
    ambiguous,
    lost_value // a number is missing
};
inline constexpr std::size_t kErratumKinds = 5;
template <>
inline constexpr auto kNamesOf<ErratumKind> = names<ErratumKind>("contradiction", "wrong", "imprecise",
                                                                 "ambiguous", "lost-value");

// A number of the run that can be moved: from a sixteenth to sixteen times, unless the file gives a range.
struct ErratumParameter
{
    std::string name;
    std::string unit;
    double value = 0; // as the sources have it, above 0
    double low = 0;
    double high = 0;
    bool whole = false; // counts stay whole
};

// Where a control may rest: the value halved and doubled as far as the range goes, and the ends. Ascending.
std::vector<double> stops_of(const ErratumParameter& parameter);
// The nearest value the parameter may have.
double within(const ErratumParameter& parameter, double value);

// One of the two numbers.
struct ErratumSide
{
    std::string value;   // an expression over the parameters
    std::string says;    // with placeholders as in families
    std::string formula; // the textbook's for the value, to print; empty: the value is one
};

struct Erratum
{
    std::string id; // "E01"
    ErratumKind kind = ErratumKind::imprecise;
    std::string topic;      // id of a StudyTopic
    std::string concept_id; // "sharded-step"
    std::string title;
    std::string claim;
    std::string truth;
    std::string assumption;               // under which the claim holds; may be empty
    std::vector<std::string> why;         // the derivation, line by line, with the sources' numbers
    std::string view;                     // id of the view with its picture; may be empty
    std::optional<ScenarioSpec> scenario; // what "show me" opens
    std::vector<ErratumParameter> parameters;
    std::vector<std::string> conditions; // expressions that must hold: "t*p <= n"
    std::optional<ErratumSide> claimed;  // both or none
    std::optional<ErratumSide> right;
    std::string unit; // of both
};

struct ErrataRead
{
    std::vector<Erratum> errata; // those without faults
    Issues issues;               // "E01.claimed.value: ..."
};
ErrataRead read_errata(std::string_view text);
// assets/study/errata.json; faults begin with the file.
ErrataRead load_errata(const std::filesystem::path& assets);

// A number of the run, for people.
struct ErratumNumber
{
    double value = 0;    // in the base unit
    std::string text;    // "1.5x"
    std::string says;    // "Three passes over the two of an all-reduce"
    std::string working; // "3 × P × ... = 3 × 70e9 × ..."; empty where the value is just a number
};
struct ErratumRun
{
    std::optional<ErratumNumber> claimed; // both or none
    std::optional<ErratumNumber> right;
    std::optional<double> ratio; // claimed over right; none where right is 0

    bool has_numbers() const { return right.has_value(); }
};

// `overrides` replaces parameters. Faults: an unknown parameter, one out of its range, a condition that does
// not hold, an expression without a finite value.
Result<ErratumRun> run_erratum(Calculator& calculator, const Erratum& erratum,
                               const DrawnValues& overrides = {});
// The parameters' values with the overrides in.
DrawnValues values_of(const Erratum& erratum, const DrawnValues& overrides);

// Every word of the query is in id, title, claim, truth, kind, topic or sources; small and capital letters
// alike.
bool matches(const Erratum& erratum, std::string_view query);
// Families with a variant that names the erratum.
std::vector<const QuestionFamily*> questions_about(const QuestionBank& bank, std::string_view erratum);

// What an erratum may not have once all are known: an id, topic, concept or view that is not there, a
// scenario that is not valid, numbers that cannot be computed or are printed alike; and ids of the inventory
// without an erratum. `views` may be empty: not checked then.
Issues check_errata(const std::vector<Erratum>& errata, const Inventory& inventory,
                    const std::set<std::string>& views, Calculator& calculator);

} // namespace ringside
