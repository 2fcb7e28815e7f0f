// What a desk starts with: the questions and the plan of the assets, and the clock on the wall.
#include <fmt/format.h>

#include "app/errata_frame.h"
#include "app/files.h"
#include "app/study_desk.h"
#include "core/scenario/json.h"

#include <chrono>
#include <ctime>

namespace ringside
{

StudyTime wall_clock()
{
    constexpr std::int64_t kDayBegins = 4 * 60 * kMinuteMs;
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    std::tm local{};
    ::localtime_r(&seconds, &local);
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
    return {ms, static_cast<std::int64_t>(local.tm_gmtoff) * 1000 - kDayBegins};
}

StudyPlan load_plan(const std::filesystem::path& assets, Issues& issues)
{
    const std::string path = (assets / "study/plan.json").string();
    if (!std::filesystem::exists(path))
    {
        return {};
    }
    const auto text = read_text(path, kMaxJsonBytes);
    const auto file = text ? parse_json(*text) : Result<nlohmann::json>(text.issues());
    auto plan = file ? read_plan(*file) : Result<StudyPlan>(file.issues());
    if (plan)
    {
        return std::move(*plan);
    }
    for (const Issue& issue : plan.issues())
    {
        const bool whole = issue.path.empty() || issue.path == path;
        issues.push_back(
            {whole ? path : path + ": " + issue.path, issue.message, issue.hint, issue.severity});
    }
    return {};
}

StudyDesk::Setup study_setup(const std::filesystem::path& assets, const Presets& presets, Issues& issues)
{
    StudyDesk::Setup setup;
    setup.plan = load_plan(assets, issues);
    setup.questions = (assets / "questions").string();
    Issues faults;
    QuestionBank bank = load_questions(assets, faults);
    if (!faults.empty())
    {
        setup.message =
            fmt::format("{} in the questions, the first: {}",
                        faults.size() == 1 ? std::string("A fault") : fmt::format("{} faults", faults.size()),
                        to_line(faults.front()));
    }
    issues.insert(issues.end(), faults.begin(), faults.end());
    setup.families = families_in(bank);
    setup.errata = load_errata_frame(assets, bank, issues);
    setup.asking = std::make_shared<Asking>(std::move(bank), presets);
    return setup;
}

} // namespace ringside
