#include "core/study/sessions/drill.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::size_t kRepeatAfter = 3; // questions, where there are as many
constexpr int kMostRepeats = 2;

using Changes = std::vector<ProgressChange>;

void begin_item(DrillSession& s, std::int64_t now_ms)
{
    const bool late = s.limit_ms > 0 && now_ms - s.started_ms >= s.limit_ms;
    if (s.at >= s.items.size() || (late && s.at > 0))
    {
        s.stage = DrillStage::over;
        s.ended_ms = now_ms;
        return;
    }
    s.stage = DrillStage::asking;
    s.shown_ms = now_ms;
}

void close_question(DrillSession& s, std::int64_t now_ms)
{
    DrillItem& item = s.items[s.at];
    item.attempt.seconds = seconds_on_show(s, now_ms);
    if (!item.revealed)
    {
        item.automatic = automatic_grade(item.attempt);
    }
    s.stage = DrillStage::grading;
}

int repeats_of(const DrillSession& s, const std::string& family)
{
    return static_cast<int>(std::ranges::count_if(s.items, [&](const DrillItem& i)
                                                  { return i.repeat && i.card.family == family; }));
}

// Numbers that were given belong to the question it was a part of.
void draw_again(DeckCard& card)
{
    card.seed = stable_hash(card.family, card.seed + 1) >> 32U;
    card.set.clear();
    card.lead.clear();
}

// Again comes once more with new numbers, some questions later, never right after itself.
std::optional<std::size_t> put_in_again(DrillSession& s)
{
    const DeckCard& card = s.items[s.at].card;
    const int repeats = repeats_of(s, card.family);
    if (s.at + 1 >= s.items.size() || repeats >= kMostRepeats)
    {
        return std::nullopt;
    }
    const std::size_t place = std::min(s.at + 1 + kRepeatAfter, s.items.size());
    DrillItem item;
    item.card = card;
    item.card.fresh = false;
    draw_again(item.card);
    item.attempt.target_s = card.target_s;
    item.repeat = true;
    s.items.insert(s.items.begin() + static_cast<std::ptrdiff_t>(place), std::move(item));
    return place;
}

Review review_of(const DrillItem& item, Grade grade, std::int64_t now_ms)
{
    Review r;
    r.card = item.card.family;
    r.time_ms = now_ms;
    r.rating = grade;
    r.duration_ms = std::llround(item.attempt.seconds * 1000);
    r.seed = item.card.seed;
    r.variant = item.card.variant;
    r.hints = std::min(item.attempt.hints, kMostHints);
    r.mistake = item.mistake;
    r.answer = item.answer;
    r.automatic = item.automatic;
    return r;
}

Changes give_grade(DrillSession& s, Grade grade, std::int64_t now_ms)
{
    if (s.stage != DrillStage::grading)
    {
        return {};
    }
    DrillItem& item = s.items[s.at];
    if (grade > best_grade(item))
    {
        return {}; // it would be booked as another
    }
    item.given = grade;
    Changes changes{AddReview{review_of(item, grade, now_ms)}};
    DrillUndo undo{s.at, s.streak, s.best_streak, std::nullopt};
    s.streak = grade == Grade::again ? 0 : s.streak + 1;
    s.best_streak = std::max(s.best_streak, s.streak);
    if (grade == Grade::again)
    {
        undo.repeat = put_in_again(s);
    }
    s.undo.push_back(undo);
    ++s.at;
    begin_item(s, now_ms);
    return changes;
}

Changes take_back(DrillSession& s, std::int64_t now_ms)
{
    if (s.undo.empty())
    {
        return {};
    }
    const DrillUndo undo = s.undo.back();
    s.undo.pop_back();
    if (undo.repeat)
    {
        s.items.erase(s.items.begin() + static_cast<std::ptrdiff_t>(*undo.repeat));
    }
    s.at = undo.at;
    s.streak = undo.streak;
    s.best_streak = undo.best_streak;
    s.items[s.at].given.reset();
    s.stage = DrillStage::grading;
    s.shown_ms = now_ms;
    return {UndoReview{}};
}

void open_hint(DrillSession& s, std::int64_t now_ms)
{
    Attempt& attempt = s.items[s.at].attempt;
    ++attempt.hints;
    if (attempt.hints >= kMostHints)
    {
        attempt.shown = true;
        close_question(s, now_ms);
    }
}

void toggle_pause(DrillSession& s, std::int64_t now_ms)
{
    if (!s.paused_ms)
    {
        s.paused_ms = now_ms;
        return;
    }
    const std::int64_t rest = now_ms - *s.paused_ms;
    s.shown_ms += rest;
    s.limit_ms += s.limit_ms > 0 ? rest : 0;
    s.paused_ms.reset();
}

Changes toggle_flag(DrillSession& s)
{
    const std::string& family = s.items[s.at].card.family;
    const bool on = s.flags.insert(family).second;
    if (!on)
    {
        s.flags.erase(family);
    }
    return {SetFlag{family, on}};
}

// Keys that need a question not answered yet.
Changes press_asking(DrillSession& s, DrillKey key, std::int64_t now_ms)
{
    DrillItem& item = s.items[s.at];
    switch (key)
    {
    case DrillKey::hint:
        open_hint(s, now_ms);
        break;
    case DrillKey::reveal:
        item.revealed = true;
        close_question(s, now_ms);
        break;
    case DrillKey::show:
        item.attempt.shown = true;
        close_question(s, now_ms);
        break;
    case DrillKey::new_numbers:
        draw_again(item.card);
        item.answer.clear(); // it was to other numbers
        break;
    case DrillKey::look:
        item.attempt.looked = true;
        break;
    default:
        break;
    }
    return {};
}

Changes press(DrillSession& s, DrillKey key, std::int64_t now_ms)
{
    switch (key)
    {
    case DrillKey::leave:
        s.stage = DrillStage::over;
        s.ended_ms = now_ms;
        return {};
    case DrillKey::skip:
        s.items[s.at].skipped = s.stage == DrillStage::asking;
        if (s.stage == DrillStage::asking)
        {
            ++s.at;
            begin_item(s, now_ms);
        }
        return {};
    case DrillKey::accept:
        return s.items[s.at].automatic ? give_grade(s, *s.items[s.at].automatic, now_ms) : Changes{};
    case DrillKey::undo:
        return take_back(s, now_ms);
    case DrillKey::flag:
        return toggle_flag(s);
    case DrillKey::pause:
        toggle_pause(s, now_ms);
        return {};
    default:
        return s.stage == DrillStage::asking ? press_asking(s, key, now_ms) : Changes{};
    }
}

Changes answer(DrillSession& s, const AnswerInput& input, std::int64_t now_ms)
{
    if (s.stage != DrillStage::asking)
    {
        return {};
    }
    DrillItem& item = s.items[s.at];
    item.answer = input.text;
    item.attempt.correct = input.correct;
    if (!input.correct)
    {
        item.mistake = input.mistake;
        ++item.attempt.wrong;
    }
    if (input.correct || input.last || item.attempt.wrong >= kMostTries)
    {
        close_question(s, now_ms);
    }
    return {};
}

// The points decide, yet a hint keeps its price.
Changes judge(DrillSession& s, const RubricInput& input, std::int64_t now_ms)
{
    DrillItem& item = s.items[s.at];
    if (s.stage == DrillStage::asking)
    {
        item.revealed = true;
        close_question(s, now_ms);
    }
    if (item.revealed)
    {
        const Grade points = rubric_grade(input.ticked, input.points, input.could_teach);
        const bool helped = item.attempt.hints > 0 || item.attempt.looked;
        item.automatic = helped ? std::min(points, Grade::hard) : points;
    }
    return {};
}

} // namespace

Grade best_grade(const DrillItem& item)
{
    const bool helped = item.attempt.hints > 0 || item.attempt.looked;
    const Grade own = helped ? Grade::hard : Grade::easy;
    return item.revealed ? own : item.automatic.value_or(own);
}

DrillSession start_drill(const std::vector<DeckCard>& deck, const DeckRequest& request,
                         const Progress& progress, std::int64_t now_ms)
{
    DrillSession s;
    s.seed = request.seed;
    s.started_ms = now_ms;
    s.limit_ms = std::llround(request.minutes * static_cast<double>(kMinuteMs));
    s.flags = progress.flags;
    for (const DeckCard& card : deck)
    {
        DrillItem item;
        item.card = card;
        item.attempt.target_s = card.target_s;
        s.items.push_back(std::move(item));
    }
    begin_item(s, now_ms);
    return s;
}

std::vector<ProgressChange> apply(DrillSession& s, const DrillInput& input, std::int64_t now_ms)
{
    const auto* key = std::get_if<DrillKey>(&input);
    const bool undo = key != nullptr && *key == DrillKey::undo;
    if (s.stage == DrillStage::over && !undo)
    {
        return {};
    }
    if (s.paused_ms && (key == nullptr || *key != DrillKey::pause))
    {
        toggle_pause(s, now_ms); // any input goes on
    }
    if (key != nullptr)
    {
        return press(s, *key, now_ms);
    }
    if (const auto* given = std::get_if<AnswerInput>(&input))
    {
        return answer(s, *given, now_ms);
    }
    if (const auto* points = std::get_if<RubricInput>(&input))
    {
        return judge(s, *points, now_ms);
    }
    if (const auto* note = std::get_if<NoteInput>(&input))
    {
        return {SetNote{s.items[s.at].card.family, note->text}};
    }
    return give_grade(s, std::get<GradeInput>(input).grade, now_ms);
}

double seconds_on_show(const DrillSession& s, std::int64_t now_ms)
{
    const std::int64_t until = s.paused_ms.value_or(now_ms);
    return static_cast<double>(std::max<std::int64_t>(0, until - s.shown_ms)) / 1000;
}

std::vector<Pip> pips(const DrillSession& s)
{
    std::vector<Pip> all;
    for (std::size_t i = 0; i < s.items.size(); ++i)
    {
        const DrillItem& item = s.items[i];
        const bool current = i == s.at && s.stage != DrillStage::over;
        all.push_back(current        ? Pip::current
                      : item.given   ? (*item.given == Grade::again ? Pip::failed : Pip::passed)
                      : item.skipped ? Pip::skipped
                                     : Pip::waiting);
    }
    return all;
}

} // namespace ringside
