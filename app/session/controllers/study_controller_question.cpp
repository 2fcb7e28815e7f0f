// The controller's question: drawn for the card on show, judged by the last answer to it.
#include "app/session/controllers/study_controller.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Whether one wrong answer more leaves a single choice.
bool leaves_one(const Question& question, const StudySession& session)
{
    const auto* drill = std::get_if<DrillSession>(&session);
    const DrillItem* item = drill == nullptr ? nullptr : drill->current();
    return item != nullptr && !question.choices.empty() &&
           static_cast<std::size_t>(item->attempt.wrong) + 2 >= question.choices.size();
}

bool is_said(const Question& question)
{
    return question.kind == QuestionKind::recall || (question.kind == QuestionKind::design && !question.goal);
}

} // namespace

void StudyController::begin(StudySession session)
{
    session_ = std::move(session);
    aside_ = std::monostate();
    frame_.came_from.clear();
    frame_.unread.clear();
    drawn_for_.reset();
    update_frame();
    keep_session();
    show_question();
}

Result<Question> StudyController::draw(const DeckCard& card)
{
    const auto own = std::ranges::find(progress_.personal, card.family, &PersonalCard::id);
    if (own != progress_.personal.end())
    {
        return question_of(*own);
    }
    return setup_.asking
               ? setup_.asking->ask(card)
               : Result<Question>(Issue{"", "There are no questions here", "start with --assets DIR"});
}

std::optional<Verdict> StudyController::verdict_on(const std::string& answer) const
{
    if (answer.empty() || !question_ || !setup_.asking || is_said(*question_))
    {
        return std::nullopt;
    }
    auto verdict = setup_.asking->check(*question_, {answer});
    return verdict ? std::optional(std::move(*verdict)) : std::nullopt;
}

void StudyController::show_question()
{
    const DeckCard* card = card_on_show(session_);
    const std::string answer(answer_on_show(session_));
    if (card == nullptr)
    {
        drawn_for_.reset();
        question_.reset();
        verdict_.reset();
        frame_.fault.clear();
    }
    else if (!drawn_for_ || !(*drawn_for_ == *card))
    {
        drawn_for_ = *card;
        auto drawn = draw(*card);
        question_ = drawn ? std::optional(std::move(*drawn)) : std::nullopt;
        frame_.fault = question_ ? "" : to_line(drawn.issues().front());
        frame_.unread.clear();
        verdict_ = verdict_on(judged_ = answer);
    }
    else if (answer != judged_)
    {
        verdict_ = verdict_on(judged_ = answer);
    }
    frame_.question = question_ ? &*question_ : nullptr;
    frame_.card = card;
    frame_.verdict = verdict_ ? &*verdict_ : nullptr;
}

StudyController::Answer StudyController::check(const AnswerQuestion& action)
{
    const bool mock = std::holds_alternative<MockSession>(session_);
    if (!question_ || !setup_.asking)
    {
        return {};
    }
    if (is_said(*question_))
    {
        return mock ? step({MockInput{FreeAnswerInput{action.text}}}) : Answer{};
    }
    auto verdict = setup_.asking->check(*question_, {action.text});
    const bool layout = question_->kind == QuestionKind::design;
    if (!verdict || (layout && verdict->read_as.empty()))
    {
        frame_.unread = "type a layout, such as tp 8 pp 4 zero 1 micro 1";
        if (!verdict)
        {
            Issue issue = verdict.issues().front();
            issue.path.clear(); // there is only one here
            frame_.unread = to_line(issue);
        }
        return {};
    }
    const AnswerInput input{action.text, verdict->correct, verdict->mistake,
                            leaves_one(*question_, session_)};
    if (!mock)
    {
        judged_ = action.text; // a layout is judged by a search: not twice
        verdict_ = std::move(*verdict);
    }
    return step({mock ? StudyInput{MockInput{input}} : StudyInput{DrillInput{input}}});
}

} // namespace ringside
