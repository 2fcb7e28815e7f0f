// A question as a user meets it: what a seed makes of one variant of a family.
// Everything to ask, hint, grade and explain it is in it; nothing of the user.
#pragma once

#include "core/base/text/term.h"
#include "core/study/questions/evidence/evidence.h"
#include "core/study/questions/ordering.h"
#include "core/study/questions/quantity.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ringside
{

struct SolutionStep
{
    std::string says;
    std::string formula; // "16 P"; may be empty
    std::string working; // "16 × 70e9"; empty where the value is just a number
    double value = 0;    // in the base unit
    std::string result;  // "1.12 TB"

    std::string line() const; // "Times the parameters: 16 P = 16 × 70e9 = 1.12 TB"
};

struct ShownChoice
{
    std::string id;
    std::string says;
    std::string value; // what the engine says of it, "1.2 s"; empty where no
                       // number decides
    bool right = false;
    std::string because; // of a cause
    std::string fix;
};

struct FollowUp
{
    std::string says;
    DrawnValues set; // overrides for draw()
};

struct KnownMistake
{
    std::string id;
    std::string says;
    double value = 0;    // in the base unit
    std::string text;    // "4.48 TB"
    std::string working; // "4 × 280e9"
};

struct Question
{
    std::string id; // "model-state/easy"
    std::string family;
    std::string topic;
    std::string concept_id;
    std::string title;
    QuestionKind kind = QuestionKind::numeric;
    Difficulty difficulty = Difficulty::easy;
    std::uint64_t seed = 0;
    double target_s = 60;

    std::string stem; // Markdown
    std::string note;
    DrawnValues values;                        // parameters and what follows from them
    std::map<std::string, std::string> givens; // parameters as text: "P": "70 B parameters"
    std::vector<std::string> hints;            // direction, insight, nearly the solution
    std::vector<std::string> sources;
    std::vector<std::string> errata;
    std::string view;                                // where its picture is; may be empty
    std::shared_ptr<const StudiedScenario> scenario; // what "show me" opens; null: as it is
    std::vector<FollowUp> follow_ups;

    double key = 0; // numeric: in the base unit
    std::string unit;
    std::string counts;   // "layers", "GPU-hours": see answers/answer.h
    std::string per;      // "GPU", "million tokens"
    double tolerance = 0; // relative; 0: the exact whole number
    std::string key_text; // "1.12 TB"
    std::vector<SolutionStep> solution;
    std::vector<Term> engine; // the engine's own working, where the key is one of its metrics
    std::vector<KnownMistake> mistakes;

    std::string answer;               // what a good answer says
    std::vector<std::string> rubric;  // points to tick
    RubricLevels levels;              // of a design
    std::vector<ShownChoice> choices; // of a comparison, or the causes of a diagnosis
    Ordering ordering;
    Evidence evidence;
    std::optional<GoalSpec> goal;
    std::vector<std::string> parts; // families asked one after the other with this seed
};

// Values that would be taken for the key: closer than the tolerance and the
// rounding of a printed answer.
bool too_close(double value, double key, double tolerance);

// One seed gives one question on every machine. Numbers that break a condition,
// a scenario that is not valid or a tie of two choices are drawn again, a
// bounded number of times. Mistakes that come too close to the key are left out
// of this question. `overrides` replaces parameters. Faults: paths are those of
// the variant, "mistakes[1].value".
Result<Question> draw(Calculator& calculator, const QuestionFamily& family, std::size_t variant,
                      std::uint64_t seed, const DrawnValues& overrides = {});

} // namespace ringside
