// What questions are computed with: parsed expressions and evaluated scenarios, kept so that a thousand draws
// of a family do the work once. The answers do not depend on what is kept. Not to be shared between threads.
#pragma once

#include "core/scenario/presets.h"
#include "core/study/questions/family.h"
#include "core/study/questions/formula/expression.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ringside
{

struct Report;
struct Term;

using DrawnValues = std::map<std::string, DrawnValue, std::less<>>;

// A scenario of a question, with its reports as they are asked for.
struct StudiedScenario
{
    Scenario scenario; // valid
    // [z] under ZeRO stage z; null until asked for.
    std::array<std::shared_ptr<const Result<Report>>, 4> reports;
};

class Calculator
{
public:
    explicit Calculator(const Presets& presets) : presets_(&presets) {}

    const Presets& presets() const { return *presets_; }

    // Names are looked up in `values`, then among the metrics of the scenario's report (which may be null):
    // "step.time_s", "zero3.memory.total_bytes". Faults have no path.
    Result<double> value(std::string_view expression, const DrawnValues& values, StudiedScenario* scenario);

    // The names an expression uses; none where it cannot be read.
    std::vector<std::string> names(std::string_view expression);
    bool simulates(std::string_view expression);
    // The engine's own working of a metric, where it has one.
    std::optional<Term> explain_metric(const std::string& name, StudiedScenario& scenario);

    // The scenario a spec asks for, its placeholders filled in; or why it cannot be.
    Result<std::shared_ptr<StudiedScenario>> scenario(const ScenarioSpec& spec, const DrawnValues& values);

private:
    const Result<Expression>& parsed(std::string_view expression);
    Result<double> lookup(const std::string& name, const DrawnValues& values, StudiedScenario* scenario);
    Result<double> metric(const std::string& name, StudiedScenario& scenario);
    // The report under a metric's ZeRO stage, and the scenario with it.
    const Result<Report>& report(const std::string& metric, StudiedScenario& studied, Scenario& scenario);
    Result<std::string> setting(const nlohmann::json& value, const DrawnValues& values);

    const Presets* presets_;
    std::map<std::string, Result<Expression>, std::less<>> expressions_;
    std::map<std::string, Result<std::shared_ptr<StudiedScenario>>, std::less<>> scenarios_;
    std::map<std::string, JsonValue, std::less<>> documents_; // of scenario presets
};

} // namespace ringside
