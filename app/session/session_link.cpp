// What is on show as a link, and what a link says put on show.
#include <fmt/format.h>

#include "app/session/session.h"
#include "core/base/ranges.h"
#include "core/base/text/printable.h"
#include "core/base/text/text.h"

namespace ringside
{

void Session::note_place(std::string_view place, bool about_scenario)
{
    place_ = place;
    place_about_scenario_ = about_scenario;
    follow_opening();
    if (role() == ViewRole::measured && !measured_ && !std::exchange(shipped_asked_, true))
    {
        if (auto set = shipped_runs())
        {
            set_measured(std::move(*set));
            measured_->shipped = true;
        }
    }
}

PlaceLink Session::link() const
{
    PlaceLink link;
    const LessonFrame* lesson = lessons_ ? lessons_->frame() : nullptr;
    const StudyFrame& study = study_->frame();
    const Asking* asking = study_->asking();
    // Parts of a question and one's own cards do not follow from a name and a seed.
    const bool drawn = (asked_ || role() == ViewRole::drill) && asking != nullptr &&
                       study.question != nullptr && study.card != nullptr && study.card->set.empty() &&
                       find_variant(asking->bank(), study.question->id).has_value();
    if (lesson != nullptr)
    {
        link.lesson = lesson->lesson().id;
        link.step = static_cast<std::int64_t>(lesson->state.step) + 1;
    }
    else if (drawn)
    {
        link.question = study.question->id;
        link.seed = study.card->seed;
    }
    else
    {
        link.view = place_on_show();
        link.scenario = place_about_scenario_ ? std::optional(scene_.scenario) : std::nullopt;
    }
    return link;
}

Issues Session::ask(const std::string& question, std::uint64_t seed)
{
    const Asking* asking = study_->asking();
    auto card = asking == nullptr ? Result<DeckCard>(Issue{"", "There are no questions here", ""})
                                  : card_of(asking->bank(), question, seed);
    if (!card)
    {
        return card.issues();
    }
    // A page that is loaded again opens its own address: the round goes on.
    const StudyFrame& study_now = study_->frame();
    if (study_now.question != nullptr && study_now.question->id == question && study_now.card != nullptr &&
        study_now.card->seed == seed)
    {
        apply(OpenView{id_of(ViewRole::drill)});
        return {};
    }
    StartDrill drill;
    drill.cards.push_back(std::move(*card));
    study(drill);
    return {};
}

const Scenario& Session::kept_scenario() const
{
    const Scenario& good = own_good_scenario();
    return visit_ && visit_->shown == good ? visit_->own : good;
}

void Session::open_link(std::string_view text)
{
    LinkRead read = read_link(text, presets_);
    const PlaceLink& link = read.link;
    back_to_question();
    leave_lesson();
    if (link.scenario)
    {
        Scenario own = kept_scenario();
        change(*link.scenario, false);
        visit_ = Visit{scene_.now.scenario, std::move(own)};
    }
    left_examples_.clear(); // the sender of the link may have seen one
    show_place(link.view);
    if (!link.view.empty() && find_view(link.view) == nullptr)
    {
        const auto places =
            list_of<std::string>(view_places(), [](std::string_view id) { return std::string(id); });
        read.issues.push_back({"v", fmt::format("there is no view \u201c{}\u201d", shortened(link.view)),
                               did_you_mean(link.view, places, "Ctrl K finds all of them")});
    }
    if (!link.lesson.empty())
    {
        add_below(read.issues, begin_lesson({link.lesson, {}, link.step}), "l");
    }
    else if (!link.question.empty())
    {
        add_below(read.issues, ask(link.question, link.seed), "q");
    }
    add_if(read.issues, !link.assignment.empty(),
           {"a", "assignments cannot be opened here", "open the rest of the link"});
    if (lessons_)
    {
        follow_lesson();
    }
    read.issues.empty() ? say("Opened the link")
                        : fail("Not everything in the link could be opened", read.issues);
}

void Session::keep_search(const LayoutAnswer& answer)
{
    const auto& [scenario, limits, result, progress, faults] = answer;
    if (result.best.empty())
    {
        return;
    }
    PlaceLink place;
    place.view = "planner";
    place.scenario = scene_.scenario;
    const Candidate& best = result.best.front();
    KeptSearch kept{
        fmt::format("{}, {} GPUs, {}: {}", scenario.model.name,
                    grouped(limits.freed.gpus.on() ? best.layout.gpus : scenario.cluster.gpus),
                    limits.any_framework() ? "any framework" : std::string_view(limits.framework.name),
                    limits.objective == Objective::memory ? format_bytes(Bytes(best.bytes), preferences_.unit)
                                                          : format_seconds(Seconds(best.seconds))),
        to_text(place, presets_), limits.framework.id, limits.objective, limits.freed};
    std::erase_if(searches_,
                  [&](const KeptSearch& other)
                  {
                      return other.link == kept.link && other.framework == kept.framework &&
                             other.objective == kept.objective && other.freed == kept.freed;
                  });
    searches_.insert(searches_.begin(), std::move(kept));
    searches_.resize(std::min(searches_.size(), kMostKeptSearches));
}

} // namespace ringside
