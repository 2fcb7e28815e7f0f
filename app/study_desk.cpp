#include "app/study_desk.h"

#include <fmt/format.h>

#include "app/files.h"
#include "core/scenario/json.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace ringside
{

namespace
{

template <class... F>
struct Overloaded : F...
{
    using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

std::string counted(std::size_t n, std::string_view one, std::string_view more)
{
    return fmt::format("{} {}", n, n == 1 ? one : more);
}

} // namespace

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

StudyDesk::Setup study_setup(const std::filesystem::path& assets, Issues& issues)
{
    StudyDesk::Setup setup;
    setup.plan = load_plan(assets, issues);
    setup.questions = (assets / "questions").string();
    return setup;
}

StudyDesk::StudyDesk(Setup setup) : setup_(std::move(setup))
{
    progress_ = std::move(setup_.progress);
    if (setup_.store)
    {
        StudyStore::Loaded loaded = setup_.store->load();
        progress_ = std::move(loaded.progress);
        message_ = std::move(loaded.message);
    }
    list_families();
    look();
}

void StudyDesk::list_families()
{
    families_ = setup_.families;
    for (const PersonalCard& card : progress_.personal)
    {
        families_.push_back(family_of(card));
    }
}

void StudyDesk::look()
{
    StudyFrame& f = frame_;
    f.now = setup_.clock();
    cards_ = replay(progress_.reviews, schedule_of(progress_, f.now.offset_ms));
    f.families = families_;
    f.progress = &progress_;
    f.cards = &cards_;
    f.plan = &setup_.plan;
    f.session = &session_;
    f.questions = setup_.questions;
    const StudyState state = f.state();
    f.heat = heat_map(state);
    f.weakest = weakest(f.heat, kWeakest);
    f.forecast = forecast(state, kForecastDays);
    f.gauges = readiness(setup_.plan, state);
    f.leeches = leeches(state);
    f.mission = mission_today(setup_.plan, progress_, f.now);
    f.due = 0;
    f.fresh = 0;
    next_look_ms_ = f.now.end_of(f.now.day());
    for (const FamilyInfo& family : families_)
    {
        const Card& card = card_of(cards_, family.id);
        const bool suspended = progress_.suspended.contains(family.id);
        f.due += !suspended && is_due(card, f.now) ? 1 : 0;
        f.fresh += !suspended && card.phase == CardPhase::fresh ? 1 : 0;
        if (card.due_ms > f.now.ms)
        {
            next_look_ms_ = std::min(next_look_ms_, card.due_ms);
        }
    }
}

void StudyDesk::tick()
{
    const StudyTime now = setup_.clock();
    frame_.now = now;
    if (auto* mock = std::get_if<MockSession>(&session_);
        mock != nullptr && mock->stage == MockStage::running)
    {
        ringside::apply(*mock, MockKey::tick, now.ms);
    }
    if (auto* spoken = std::get_if<SpokenSession>(&session_))
    {
        ringside::apply(*spoken, SpokenKey::tick, now.ms);
    }
    if (now.ms >= next_look_ms_)
    {
        look();
    }
}

std::string StudyDesk::changed()
{
    Issues issues;
    if (setup_.store)
    {
        issues = setup_.store->save(progress_);
    }
    frame_.saved = !has_errors(issues);
    look();
    return has_errors(issues) ? "Not saved: " + to_line(issues.front()) : "";
}

StudyDesk::Answer StudyDesk::start(const StartDrill& action)
{
    look();
    DeckWish wish = action.wish;
    wish.seed = static_cast<std::uint64_t>(frame_.now.ms);
    const auto deck = make_deck(frame_.state(), wish);
    if (deck.empty())
    {
        return {families_.empty() ? "There are no questions" : "Nothing to ask there", "", "", ""};
    }
    DrillSession drill = start_drill(deck, wish, progress_, frame_.now.ms);
    drill.task = action.task;
    session_ = std::move(drill);
    return {fmt::format("Drill: {}", counted(deck.size(), "question", "questions")), "", "", "drill"};
}

StudyDesk::Answer StudyDesk::start(const StartSpoken& action)
{
    look();
    const auto found = std::find_if(families_.begin(), families_.end(),
                                    [&](const FamilyInfo& f) { return f.id == action.family; });
    if (found == families_.end())
    {
        return {fmt::format("There is no question {}", action.family), "", "", ""};
    }
    const auto seed = static_cast<std::uint64_t>(frame_.now.ms);
    SpokenSession spoken =
        start_spoken({action.family, seed, false, action.seconds}, action.points, action.seconds);
    spoken.task = action.task;
    session_ = std::move(spoken);
    return {"", "", "", "spoken"};
}

StudyDesk::Answer StudyDesk::start(const StartMock& action)
{
    look();
    MockSession mock = start_mock(frame_.state(), action.minutes, static_cast<std::uint64_t>(frame_.now.ms));
    if (mock.items.empty())
    {
        return {"There are no questions", "", "", ""};
    }
    mock.task = action.task;
    const std::size_t count = mock.items.size();
    session_ = std::move(mock);
    return {fmt::format("Mock interview: {} in {} minutes", counted(count, "question", "questions"),
                        action.minutes),
            "", "", "mock"};
}

void StudyDesk::finish_task()
{
    const std::string task(task_of(session_));
    if (!task.empty() && !is_running(session_))
    {
        ringside::apply(progress_, SetTask{{task, frame_.now.ms}, true});
    }
}

StudyDesk::Answer StudyDesk::step(const StudyStep& action)
{
    frame_.now = setup_.clock();
    const bool ran = is_running(session_);
    const auto changes = ringside::apply(session_, action.input, frame_.now.ms);
    for (const ProgressChange& change : changes)
    {
        ringside::apply(progress_, change);
    }
    const bool ended = ran && !is_running(session_);
    if (ended)
    {
        finish_task();
    }
    return {changes.empty() && !ended ? "" : changed(), "", "", ""};
}

StudyDesk::Answer StudyDesk::end()
{
    session_ = std::monostate();
    look();
    return {"", "", "", "study"};
}

StudyDesk::Answer StudyDesk::change(const ProgressChange& change)
{
    ringside::apply(progress_, change);
    list_families();
    return {changed(), "", "", ""};
}

StudyDesk::Answer StudyDesk::send(const ExportStudy& action)
{
    const std::string day = date_text(frame_.now.day());
    switch (action.what)
    {
    case StudyExport::log:
        return {"", fmt::format("ringside-reviews-{}.csv", day), review_log_csv(progress_), ""};
    case StudyExport::history:
        return {"", fmt::format("ringside-history-{}.csv", day), history_csv(progress_), ""};
    case StudyExport::sheet:
        return {"", fmt::format("ringside-study-sheet-{}.md", day),
                study_sheet(frame_.state(), setup_.words()), ""};
    case StudyExport::scorecard:
        if (const auto* mock = std::get_if<MockSession>(&session_);
            mock != nullptr && mock->stage == MockStage::over)
        {
            return {"", fmt::format("ringside-mock-{}.md", day),
                    scorecard(*mock, families_, frame_.now.offset_ms), ""};
        }
        return {"No mock interview is over", "", "", ""};
    case StudyExport::anki:
        break;
    }
    std::vector<FrozenCard> cards = setup_.frozen();
    for (const PersonalCard& card : progress_.personal)
    {
        const std::size_t prefix = std::string_view("personal:").size();
        cards.push_back({card.id.substr(std::min(prefix, card.id.size())), card.front, card.back, card.tags});
    }
    if (cards.empty())
    {
        return {"There are no cards to export", "", "", ""};
    }
    return {"", fmt::format("ringside-anki-{}.txt", day), anki_text(cards), ""};
}

// A log names its columns in its first row; everything else is taken for notes.
StudyDesk::Answer StudyDesk::take(const ImportStudy& action)
{
    const std::string_view text = action.text;
    const bool log = text.substr(0, text.find('\n')).find("review_time") != std::string_view::npos;
    std::string notice;
    Issues issues;
    if (log)
    {
        auto read = reviews_from_csv(text);
        const std::size_t count = merge(progress_, std::move(read.entries));
        notice = fmt::format("{} added", counted(count, "review", "reviews"));
        issues = std::move(read.issues);
    }
    else
    {
        auto read = cards_from_anki(text);
        for (const PersonalCard& card : read.entries)
        {
            ringside::apply(progress_, card);
        }
        notice = fmt::format("{} added", counted(read.entries.size(), "card", "cards"));
        issues = std::move(read.issues);
    }
    if (!issues.empty())
    {
        notice += fmt::format("; {} left out, the first: {}", counted(issues.size(), "fault", "faults"),
                              to_line(issues.front()));
    }
    list_families();
    const std::string fault = changed();
    return {fault.empty() ? notice : fault, "", "", ""};
}

StudyDesk::Answer StudyDesk::apply(const StudyAction& action)
{
    return std::visit(
        Overloaded{
            [this](const StartDrill& a) { return start(a); },
            [this](const StartMock& a) { return start(a); },
            [this](const StartSpoken& a) { return start(a); },
            [this](const StudyStep& a) { return step(a); },
            [this](const EndStudy&) { return end(); },
            [this](const ChangeProgress& a) { return change(a.change); },
            [this](const ExportStudy& a) { return send(a); },
            [this](const ImportStudy& a) { return take(a); },
        },
        action);
}

} // namespace ringside
