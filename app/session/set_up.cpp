#include "app/session/set_up.h"

#include <fmt/format.h>

#include "app/files/asset_file.h"
#include "app/files/demo_script_file.h"
#include "app/files/files.h"
#include "app/files/lesson_files.h"
#include "app/files/measured_file.h"
#include "app/files/run_file.h"
#include "core/base/give_way.h"
#include "core/lab/corpus.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace ringside
{

namespace
{

#if defined(CLOCK_BOOTTIME) && !defined(__EMSCRIPTEN__)
constexpr clockid_t kSteady = CLOCK_BOOTTIME; // goes on while the computer sleeps
#else
constexpr clockid_t kSteady = CLOCK_MONOTONIC;
#endif

// Not by std::chrono's system clock, whose nanoseconds end in the year 2262.
std::int64_t milliseconds_of(clockid_t clock)
{
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

} // namespace

StudyTime wall_clock()
{
    constexpr std::int64_t kDayBegins = 240 * kMinuteMs;          // four in the morning
    constexpr std::int64_t kLastMs = 32'503'680'000'000 - kDayMs; // the year 3000, as far as progress goes
    const std::int64_t now = milliseconds_of(CLOCK_REALTIME);
    const std::time_t seconds = now / 1000;
    std::tm local{};
    ::localtime_r(&seconds, &local);
    return {std::clamp<std::int64_t>(now, 0, kLastMs),
            static_cast<std::int64_t>(local.tm_gmtoff) * 1000 - kDayBegins, milliseconds_of(kSteady)};
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

StudyController::Setup study_setup(const std::filesystem::path& assets, const Presets& presets,
                                   Issues& issues)
{
    StudyController::Setup setup;
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

LabController::Setup lab_setup(const std::filesystem::path& assets, const Presets& presets,
                               const std::string& device, bool beside_window)
{
    LabController::Setup setup;
    // Asked for on the thread that will train.
    setup.open = [device, beside_window]
    {
        if (beside_window)
        {
            give_way();
        }
        return trainer::open_device(device);
    };
    if (auto text = read_plain(assets / "texts/genesis.txt", kMostTextBytes))
    {
        setup.text.name = "genesis.txt";
        setup.text.text = std::make_shared<const std::string>(std::move(*text));
    }
    for (const GpuPreset& gpu : presets.gpus)
    {
        setup.data_sheets.push_back(gpu.gpu);
    }
    setup.checkpoint = config_folder() / "lab-run.checkpoint";
    setup.machines = config_folder() / "machines.json";
    setup.today = date_today;
    return setup;
}

void set_up_measured(Session& session, const std::filesystem::path& assets, const Presets& presets)
{
    session.shipped_runs = [&session, &presets, file = (assets / "measured/llm-foundry-h100.json").string()]
    { return read_measured(file, session.scenario(), presets); };
    session.example_run = [folder = (assets / "runs").string()]
    {
        const auto files = run_files({folder});
        return files ? *files : std::vector<RunFile>();
    };
    session.measured_sources = [&presets, assets] { return measured_sources(assets, presets); };
}

void set_up(Session& session, const std::filesystem::path& assets, const Presets& presets, Issues& issues,
            std::unique_ptr<StudyStore> store)
{
    if (store == nullptr) // a page has no folder that stays
    {
        session.keep_software = keep_software;
    }
    StudyController::Setup study = study_setup(assets, presets, issues);
    study.store = store ? std::move(store) : std::make_unique<StudyStore>();
    auto controller = std::make_unique<StudyController>(std::move(study));
    add_if(issues, !controller->message().empty(), {"study", controller->message(), ""});
    session.set_study(std::move(controller));
    Course course = open_course(assets, issues);
    session.set_course(std::move(course), load_finished(issues));
    set_up_measured(session, assets, presets);
    DemoScripts scripts = read_demo_scripts(assets, presets);
    append(issues, scripts.issues);
    session.set_scripts(std::move(scripts.scripts));
}

} // namespace ringside
