#include "app/session/controllers/study_controller.h"

#include <fmt/format.h>

#include "core/base/overloaded.h"
#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/study/sessions/session_json.h"
#include "ui/shell/view.h"

#include <algorithm>
#include <cstdlib>

namespace ringside
{

StudyController::StudyController(Setup setup) : setup_(std::move(setup))
{
    progress_ = std::move(setup_.progress);
    message_ = setup_.message;
    if (setup_.store)
    {
        StudyStore::Loaded loaded = setup_.store->load();
        progress_ = std::move(loaded.progress);
        message_ = loaded.message.empty() ? message_ : std::move(loaded.message);
    }
    list_families();
    resume();
    update_frame();
    show_question();
}

void StudyController::resume()
{
    kept_session_ = setup_.store ? setup_.store->session_text() : "";
    if (!kept_session_.empty())
    {
        // One that cannot be read is left: what was graded in it is in the progress.
        auto kept = session_from_text(kept_session_, setup_.clock().ms);
        session_ = kept ? std::move(*kept) : StudySession();
    }
    if (auto* drill = std::get_if<DrillSession>(&session_))
    {
        drill->flags = progress_.flags;
    }
}

// With a question asked aside it is what waits for it.
void StudyController::keep_session()
{
    const StudySession& kept = frame_.came_from.empty() ? session_ : aside_;
    std::string text = setup_.store ? to_text(kept, frame_.now.ms) : "";
    if (text != kept_session_ && !has_errors(setup_.store->save_session(text)))
    {
        kept_session_ = std::move(text);
    }
}

// Where the clock was set, the times of what runs are moved with it.
void StudyController::read_clock()
{
    constexpr std::int64_t kMostDrift = 2000; // [ms]
    const StudyTime next = setup_.clock();
    const StudyTime& last = frame_.now;
    const bool known = next.steady_ms > 0 && last.steady_ms > 0;
    const std::int64_t jump = known ? (next.ms - last.ms) - (next.steady_ms - last.steady_ms) : 0;
    if (std::abs(jump) > kMostDrift)
    {
        shift(session_, jump);
        shift(aside_, jump);
    }
    frame_.now = next;
}

void StudyController::list_families()
{
    families_ = setup_.families;
    for (const PersonalCard& card : progress_.personal)
    {
        families_.push_back(family_of(card));
    }
}

void StudyController::update_frame()
{
    StudyFrame& f = frame_;
    read_clock();
    cards_ = replay(progress_.reviews, schedule_of(progress_, f.now.offset_ms));
    f.families = families_;
    f.progress = &progress_;
    f.cards = &cards_;
    f.plan = &setup_.plan;
    f.session = &session_;
    f.questions = setup_.questions;
    f.errata = setup_.errata.get();
    list_imports();
    f.backups = setup_.store ? list_of<std::string>(setup_.store->dated(), &StudyStore::Dated::day)
                             : std::vector<std::string>();
    const auto* drill = std::get_if<DrillSession>(&session_);
    const bool ended = drill != nullptr && drill->stage == DrillStage::over;
    f.end = ended ? std::optional(end_card(*drill, f.state())) : std::nullopt;
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
        const bool suspended = progress_.suspended.contains(family.id);
        f.due += !suspended && due_variant(state, family) ? 1 : 0;
        for (const Card* card : cards_of(cards_, family))
        {
            f.fresh += !suspended && card->phase == CardPhase::fresh ? 1 : 0;
            next_look_ms_ = card->due_ms > f.now.ms ? std::min(next_look_ms_, card->due_ms) : next_look_ms_;
        }
    }
}

void StudyController::tick()
{
    read_clock();
    const StudyTime now = frame_.now;
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
        update_frame();
    }
    show_question();
}

Notice StudyController::changed()
{
    Issues issues;
    if (setup_.store)
    {
        issues = setup_.store->save(progress_);
        list_families(); // another window may have added cards
    }
    frame_.saved = !has_errors(issues);
    update_frame();
    return has_errors(issues) ? Notice("Not saved", {to_line(issues.front())}) : Notice();
}

// What runs, as it waits for a question asked aside.
StudySession StudyController::pause_for_aside() const
{
    StudySession kept = is_running(session_) && frame_.came_from.empty() ? session_ : aside_;
    if (auto* drill = std::get_if<DrillSession>(&kept); drill != nullptr && !drill->paused_ms)
    {
        ringside::apply(*drill, DrillKey::pause, frame_.now.ms);
    }
    return kept;
}

StudyController::Answer StudyController::start(const StartDrill& action)
{
    update_frame();
    DeckRequest request = action.request;
    request.seed = static_cast<std::uint64_t>(frame_.now.ms);
    auto deck = action.cards.empty() ? make_deck(frame_.state(), request) : action.cards;
    if (deck.empty())
    {
        return {families_.empty() ? "There are no questions" : "Nothing to ask there"};
    }
    if (setup_.asking)
    {
        setup_.asking->add_parts(deck);
    }
    DrillSession drill = start_drill(deck, request, progress_, frame_.now.ms);
    drill.task = action.task;
    StudySession kept = action.cards.empty() ? StudySession() : pause_for_aside();
    begin(std::move(drill));
    if (is_running(kept))
    {
        frame_.came_from = id_of(std::holds_alternative<MockSession>(kept)     ? ViewRole::mock
                                 : std::holds_alternative<SpokenSession>(kept) ? ViewRole::spoken
                                                                               : ViewRole::drill);
        aside_ = std::move(kept);
    }
    return {fmt::format("Drill: {}", counted(static_cast<std::int64_t>(deck.size()), "question")),
            id_of(ViewRole::drill)};
}

namespace
{

std::size_t points_of(const Result<Question>& question)
{
    const std::size_t points = !question                  ? 0
                               : question->rubric.empty() ? question->levels.strong.size()
                                                          : question->rubric.size();
    return std::max<std::size_t>(1, points);
}

} // namespace

StudyController::Answer StudyController::start(const StartSpoken& action)
{
    update_frame();
    const auto seed = static_cast<std::uint64_t>(frame_.now.ms);
    std::optional<DeckCard> card;
    if (action.family.empty())
    {
        card = pick_spoken(frame_.state(), action.filter, seed);
    }
    else if (std::ranges::any_of(families_, [&](const FamilyInfo& f) { return f.id == action.family; }))
    {
        card = DeckCard{action.family, seed, false, action.seconds};
    }
    if (!card)
    {
        return {action.family.empty() ? "There is no spoken answer to give"
                                      : fmt::format("There is no question {}", action.family)};
    }
    const std::size_t points = action.points > 0 ? action.points : points_of(draw(*card));
    SpokenSession spoken = start_spoken(*card, points, action.seconds);
    spoken.task = action.task;
    begin(std::move(spoken));
    return {"", id_of(ViewRole::spoken)};
}

// One that is due or new, else the least remembered.
StudyController::Answer StudyController::start(const QuizView& action)
{
    update_frame();
    std::vector<DeckCard> deck;
    DeckRequest request;
    for (const DeckKind kind : {DeckKind::due, DeckKind::weak})
    {
        request = {kind, {}, 1, 1};
        request.filter.view = action.view;
        request.seed = static_cast<std::uint64_t>(frame_.now.ms);
        deck = deck.empty() ? make_deck(frame_.state(), request) : deck;
    }
    if (deck.empty())
    {
        return {"There is no question about this view"};
    }
    StudySession kept = pause_for_aside();
    begin(start_drill(deck, request, progress_, frame_.now.ms));
    aside_ = std::move(kept);
    frame_.came_from = action.view;
    return {"", id_of(ViewRole::drill)};
}

StudyController::Answer StudyController::start(const StartMock& action)
{
    update_frame();
    MockSession mock = start_mock(frame_.state(), action.minutes, static_cast<std::uint64_t>(frame_.now.ms));
    if (mock.items.empty())
    {
        return {"There are no questions"};
    }
    mock.task = action.task;
    if (setup_.asking)
    {
        setup_.asking->add_follow_ups(mock);
    }
    const std::size_t count = mock.items.size();
    begin(std::move(mock));
    return {fmt::format("{} in {} minutes", counted(static_cast<std::int64_t>(count), "question"),
                        action.minutes),
            id_of(ViewRole::mock)};
}

void StudyController::finish_task()
{
    const std::string task(task_of(session_));
    if (!task.empty() && !is_running(session_))
    {
        ringside::apply(progress_, SetTask{{task, frame_.now.ms}, true});
    }
}

StudyController::Answer StudyController::step(const StudyStep& action)
{
    read_clock();
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
    frame_.unread.clear();
    const Notice notice = changes.empty() && !ended ? Notice() : changed();
    keep_session();
    show_question();
    return {notice};
}

// Back to where it began: the view of a quiz, with what was kept for it, or home.
StudyController::Answer StudyController::end()
{
    const std::string view = frame_.came_from.empty() ? id_of(ViewRole::study) : frame_.came_from;
    begin(std::exchange(aside_, std::monostate()));
    update_frame();
    return {"", view};
}

StudyController::Answer StudyController::change(const ProgressChange& change)
{
    ringside::apply(progress_, change);
    list_families();
    return {changed()};
}

StudyController::Answer StudyController::apply(const StudyAction& action)
{
    return std::visit(
        Overloaded{
            [this](const StartDrill& a) { return start(a); },
            [this](const StartMock& a) { return start(a); },
            [this](const StartSpoken& a) { return start(a); },
            [this](const QuizView& a) { return start(a); },
            [this](const AnswerQuestion& a) { return check(a); },
            [this](const StudyStep& a) { return step(a); },
            [this](const EndStudy&) { return end(); },
            [this](const ChangeProgress& a) { return change(a.change); },
            [this](const ExportStudy& a) { return send(a); },
            [this](const ImportStudy& a) { return look_into(a); },
            [this](const AnswerImport& a) { return answer(a); },
            [this](const RemoveImport& a) { return remove(a); },
            [this](const RestoreBackup& a) { return restore(a); },
        },
        action);
}

} // namespace ringside
