// One draw of one variant, step by step: numbers until the conditions hold, then everything that is said with
// them. Inside of draw() of question.h.
#pragma once

#include "core/study/questions/question.h"
#include "core/study/questions/wording.h"

namespace ringside
{

// One draw of one variant.
class Draw
{
public:
    Draw(Calculator& calculator, const QuestionFamily& family, const QuestionVariant& variant,
         std::uint64_t seed);

    Result<Question> run(const DrawnValues& overrides);

private:
    enum class Outcome
    {
        good,
        again, // conditions do not hold
        fault
    };

    Outcome fail(std::string path, const Issues& issues);
    void spend_on(const std::string& expression);
    // A stream of its own for everything that is drawn, so that replacing one parameter changes no other.
    std::uint64_t seed_for(std::string_view what, int attempt = 0) const;
    Result<double> value(const std::string& expression)
    {
        return calculator_.value(expression, q_.values, scenario_.get());
    }

    Outcome draw_values(const DrawnValues& overrides, int attempt);
    Outcome compute_lets(bool with_report);
    Outcome check_conditions(bool with_report);
    Outcome make_scenario();
    // What follows keeps the first fault, and goes on.
    void note(const std::string& path, const Issues& issues);
    std::string filled(const std::string& path, const std::string& text);
    std::vector<std::string> filled(const std::string& path, const std::vector<std::string>& texts);
    double number(const std::string& path, const std::string& expression); // 0 where it is at fault
    Outcome make();
    void make_claims();
    void make_texts();
    void make_numeric();
    void make_solution();
    void make_mistakes();
    Outcome make_choices();
    void make_diagnosis();
    void make_items();
    void add_engine_terms();

    Calculator& calculator_;
    const QuestionVariant& v_;
    Question q_;
    Wording words_;
    std::shared_ptr<StudiedScenario> scenario_;
    Issues issues_; // of the last attempt
    bool faulty_ = false;
    int work_ = 0; // spent on attempts
};

} // namespace ringside
