// What a desk starts with: the questions and the plan of the assets, and the clock on the wall.
#include <fmt/format.h>

#include "app/files/asset_file.h"
#include "app/session/study_desk.h"

#include <chrono>
#include <ctime>

namespace ringside
{

StudyTime wall_clock()
{
    constexpr std::int64_t kDayBegins = 240 * kMinuteMs; // four in the morning
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    std::tm local{};
    ::localtime_r(&seconds, &local);
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
    return {ms, static_cast<std::int64_t>(local.tm_gmtoff) * 1000 - kDayBegins};
}

StudyPlan load_plan(const std::filesystem::path& assets, Issues& issues)
{
    return load_asset<StudyPlan>(assets / "study/plan.json", read_plan, issues);
}

std::shared_ptr<const ErrataFrame> load_errata_frame(const std::filesystem::path& assets,
                                                     const QuestionBank& bank, Issues& issues)
{
    auto frame = std::make_shared<ErrataFrame>();
    frame->file = (assets / "study" / "errata.json").string();
    ErrataRead read = load_errata(assets);
    frame->errata = std::move(read.errata);
    append(issues, read.issues);
    for (const Erratum& erratum : frame->errata)
    {
        for (const QuestionFamily* family : questions_about(bank, erratum.id))
        {
            frame->questions[erratum.id].push_back(family->title);
        }
    }
    return frame;
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
    append(issues, faults);
    setup.families = families_in(bank);
    setup.errata = load_errata_frame(assets, bank, issues);
    setup.asking = std::make_shared<Asking>(std::move(bank), presets);
    return setup;
}

} // namespace ringside
