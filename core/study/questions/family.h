// Question families: what a user should be able to answer for any numbers. One
// family has variants (easy, medium, hard); a variant is complete in itself.
// Read from assets/questions/TOPIC/*.json, format in docs/questions.md. What a
// seed makes of one is a Question (question.h).
//
// Follow-ups and parts keep the other numbers, because each parameter has a
// random stream of its own, from family, variant, name and seed (FNV-1a and
// SplitMix, no distributions of the library). Packs of strangers are bounded:
// lengths, counts, simulated operations and draws.
#pragma once

#include "core/base/json/json_value.h"
#include "core/base/names.h"
#include "core/base/result.h"

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringside
{

enum class QuestionKind : std::uint8_t
{
    numeric,
    recall,
    comparison,
    ordering,
    diagnosis,
    design
};
inline constexpr std::size_t kQuestionKinds = 6;
template <>
inline constexpr auto kNamesOf<QuestionKind> = names<QuestionKind>("numeric", "recall", "comparison",
                                                                   "ordering", "diagnosis", "design");

enum class Difficulty : std::uint8_t
{
    easy,
    medium,
    hard
};

inline constexpr std::size_t kDifficulties = 3;
template <>
inline constexpr auto kNamesOf<Difficulty> = names<Difficulty>("easy", "medium", "hard");

// A number, or a word such as the id of a preset.
using DrawnValue = std::variant<double, std::string>;

// What the seed draws from: the list, or low, low + step ... high where there
// is none.
struct ParameterSpec
{
    std::string name;
    std::string unit;
    std::vector<DrawnValue> from;
    double low = 0;
    double high = 0;
    double step = 1;
};

// A name for an expression. The unit is empty for a count.
struct LetSpec
{
    std::string name;
    std::string value;
    std::string unit;
};

struct SolutionStepSpec
{
    std::string says;
    std::string formula; // as people write it; may be empty
    std::string value;
    std::string unit;
};

// A wrong way with the same numbers.
struct MistakeSpec
{
    std::string id;
    std::string value;
    std::string says;
    std::string when; // a condition; empty: always
};

enum class Pick : std::uint8_t
{
    marked,  // the one with `right`
    largest, // by value
    smallest
};
template <>
inline constexpr auto kNamesOf<Pick> = names<Pick, 1>("largest", "smallest");

struct ChoiceSpec
{
    std::string id;
    std::string says;
    std::string value; // an expression; empty where no number decides
    std::string unit;
    bool right = false;
};

enum class ItemOrder : std::uint8_t
{
    after, // what each item comes after
    ascending,
    descending
};
template <>
inline constexpr auto kNamesOf<ItemOrder> = names<ItemOrder, 1>("ascending", "descending");

struct ItemSpec
{
    std::string id;
    std::string says;
    std::vector<std::string> after;
    std::string value;
    std::string unit;
};

// The first operations of one stage of a pipeline; all but the kind are
// expressions.
struct ScheduleItemsSpec
{
    std::string kind;
    std::string stages;
    std::string micro_batches;
    std::string chunks = "1";
    std::string stage = "0";
    std::string first = "6";
};

struct CauseSpec
{
    std::string id;
    std::string says;
    JsonValue evidence; // {"kind": ..., settings}: see evidence.h
    std::string because;
    std::string fix;
};

// The goal of a design whose answer is a layout.
struct GoalSpec
{
    bool fits = true;
    double within_best = 0; // step time over that of the best the search finds; 0: not asked
};

struct RubricLevels
{
    std::vector<std::string> strong;
    std::vector<std::string> lean;
    std::vector<std::string> no_hire;
};

// The question with parameters replaced.
struct FollowUpSpec
{
    std::string says;
    std::map<std::string, DrawnValue> set;
};

struct ScenarioSpec
{
    std::string preset = "default"; // of assets/scenarios
    // Path of a field to a number, word or switch, "{name}" of a parameter or "=
    // expression".
    std::vector<std::pair<std::string, JsonValue>> set;
};

struct QuestionVariant
{
    std::string id;  // "easy"
    std::string was; // its full name before it moved here, by which it is still
                     // found and its numbers are drawn
    Difficulty difficulty = Difficulty::easy;
    QuestionKind kind = QuestionKind::numeric;
    std::string title;
    std::string concept_id;           // "model-state"
    std::vector<std::string> sources; // published ones, where it names any
    std::vector<std::string> errata;
    double target_s = 60; // a prepared user's
    std::string view;     // id of the view with its picture; may be empty
    std::string stem;     // Markdown emphasis, {name}, {name:plain}, {= expression | unit}
    std::string note;
    std::vector<ParameterSpec> parameters; // sorted by name
    std::vector<LetSpec> lets;             // in order
    std::vector<std::string> where;
    std::vector<std::string> hints; // three
    std::optional<ScenarioSpec> scenario;
    std::vector<FollowUpSpec> follow_ups;

    std::string key; // numeric
    std::string unit;
    std::string counts;      // what the number is of, "layers", or its own unit, "GPU-hours"
    std::string per;         // what it is per, "GPU" or "million tokens"
    double tolerance = 0.03; // relative; 0: the exact whole number
    std::vector<SolutionStepSpec> solution;
    std::vector<MistakeSpec> mistakes;

    std::string answer; // what a good answer says: recall, comparison, design
    std::vector<std::string> rubric;

    std::vector<ChoiceSpec> choices; // comparison
    Pick best = Pick::marked;
    // What sources say that disagree, without "Source A:". The seed draws their
    // letters: texts say {claims} for all of them in the order of their letters,
    // and {A}, {B}, {C} for the letter of the first, second, third.
    std::vector<std::string> claims;

    std::vector<ItemSpec> items; // ordering
    ItemOrder order = ItemOrder::after;
    std::optional<ScheduleItemsSpec> schedule;

    std::vector<CauseSpec> causes; // diagnosis

    RubricLevels levels; // design
    std::optional<GoalSpec> goal;
    std::vector<std::string> parts; // families asked one after the other
};

struct QuestionFamily
{
    bool interview = true; // false: for self-study, no interviewer asks it
    std::string id;        // "model-state"
    std::string title;
    std::string concept_id;
    std::string topic; // "memory"
    std::string file;  // "questions/memory.json"
    std::vector<QuestionVariant> variants;
};

struct QuestionTopic
{
    std::string id;
    std::string title;
    std::string file;
};

// All there are: topics by file name, families in the order of their files.
struct QuestionBank
{
    std::vector<QuestionTopic> topics;
    std::vector<QuestionFamily> families;

    const QuestionFamily* family(std::string_view id) const;
};

// A variant by its full name "family/variant" or the one it had before it
// moved, or the first of a family; nothing where there is none.
struct VariantRef
{
    const QuestionFamily* family = nullptr;
    std::size_t variant = 0;

    const QuestionVariant& get() const { return family->variants[variant]; }
};
std::optional<VariantRef> find_variant(const QuestionBank& bank, std::string_view id);

// Adds the families of one file; what is faulty is left out and named, as
// "model-state/easy.key: ...".
Issues add_questions(std::string_view text, const std::string& file, QuestionBank& bank);
// Reads assets/questions/TOPIC/*.json in order of their names. Faults begin
// with the file; a folder that is not there is empty.
QuestionBank load_questions(const std::filesystem::path& assets, Issues& issues);

} // namespace ringside
