// The controller's exports and imports: texts for other tools, and from them.
#include <fmt/format.h>

#include "app/files/streams.h"
#include "app/session/controllers/study_controller.h"
#include "core/base/text/text.h"

#include <algorithm>

namespace ringside
{

StudyController::Answer StudyController::send(const ExportStudy& action)
{
    const std::string day = date_text(frame_.now.day());
    switch (action.what)
    {
    case StudyExport::history:
        return {"", "", fmt::format("ringside-history-{}.csv", day), history_csv(progress_)};
    case StudyExport::progress:
        return {"", "", fmt::format("ringside-progress-{}.json", day), to_text(progress_)};
    case StudyExport::sheet:
        return {
            "", "", fmt::format("ringside-study-sheet-{}.md", day),
            study_sheet(frame_.state(), setup_.asking ? setup_.asking->words() : std::vector<SheetWords>())};
    case StudyExport::scorecard:
        if (const auto* mock = std::get_if<MockSession>(&session_);
            mock != nullptr && mock->stage == MockStage::over)
        {
            return {"", "", fmt::format("ringside-mock-{}.md", day),
                    scorecard(*mock, families_, frame_.now.offset_ms)};
        }
        return {"No mock interview is over"};
    case StudyExport::anki:
        break;
    }
    std::vector<FrozenCard> cards = setup_.asking ? setup_.asking->frozen() : std::vector<FrozenCard>();
    for (const PersonalCard& card : progress_.personal)
    {
        const std::size_t prefix = std::string_view("personal:").size();
        cards.push_back({card.id.substr(std::min(prefix, card.id.size())), card.front, card.back, card.tags});
    }
    if (cards.empty())
    {
        return {"There are no cards to export"};
    }
    return {"", "", fmt::format("ringside-anki-{}.txt", day), anki_text(cards)};
}

StudyController::Answer StudyController::look_into(const ImportStudy& action)
{
    found_ = read_import(action.text);
    const Issues issues = std::exchange(found_->issues, {});
    frame_.import.reset();
    if (found_->empty())
    {
        found_.reset();
        return {{"Not imported", {issues.empty() ? "it is empty" : to_line(issues.front())}}};
    }
    const TakenImport plan = planned(progress_, *found_, frame_.now.ms);
    if (plan.empty())
    {
        found_.reset();
        return {"Nothing in it is new"};
    }
    const std::string left = issues.empty()
                                 ? ""
                                 : fmt::format("; {} left out, the first: {}",
                                               counted(static_cast<std::int64_t>(issues.size()), "fault"),
                                               in_short(to_line(issues.front())));
    const auto size = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
    std::string says = plan.reviews.empty()
                           ? fmt::format("{} new, {} changed; the first: \u201c{}\u201d", size(plan.added),
                                         size(plan.earlier), in_short(found_->cards.front().front))
                           : fmt::format("of {}, that are not in yours", size(found_->reviews));
    frame_.import = ImportFound{words_of(plan), says + left};
    return {fmt::format("Found {}: take them or leave them", frame_.import->name)};
}

StudyController::Answer StudyController::answer(const AnswerImport& action)
{
    frame_.import.reset();
    const auto found = std::exchange(found_, std::nullopt);
    if (!found || !action.take)
    {
        return {found ? "Nothing was imported" : ""};
    }
    read_clock();
    TakenImport plan = planned(progress_, *found, frame_.now.ms);
    ringside::take(progress_, *found, plan);
    const std::string name = words_of(plan);
    taken_.insert(taken_.begin(), std::move(plan));
    list_families();
    const Notice fault = changed();
    return {fault.empty() ? Notice(fmt::format("{} added; Exports (X) can remove them again", name)) : fault};
}

StudyController::Answer StudyController::remove(const RemoveImport& action)
{
    const auto taken = std::ranges::find(taken_, action.time_ms, &TakenImport::time_ms);
    TakenImport import = taken == taken_.end() ? TakenImport{action.time_ms, {}, {}, {}} : *taken;
    for (const TakenImport& there : imports_of(progress_))
    {
        import.added = there.time_ms == action.time_ms ? there.added : import.added;
    }
    take_back(progress_, import);
    std::erase_if(taken_, [&](const TakenImport& t) { return t.time_ms == action.time_ms; });
    list_families();
    const Notice fault = changed();
    return {fault.empty() ? Notice(fmt::format("{} removed", words_of(import))) : fault};
}

StudyController::Answer StudyController::restore(const RestoreBackup& action)
{
    auto restored = setup_.store ? setup_.store->restore(action.day, progress_)
                                 : Result<Progress>(Issue{"", "nothing is kept here", ""});
    if (!restored)
    {
        return {{"Not restored", {to_line(restored.issues().front())}}};
    }
    progress_ = *std::move(restored);
    taken_.clear();
    list_families();
    const Notice fault = changed();
    return {fault.empty()
                ? Notice(fmt::format("Progress is as it was before {}: {}", action.day,
                                     counted(static_cast<std::int64_t>(progress_.reviews.size()), "review")))
                : fault};
}

// Lists imports of earlier starts by what the progress tells of them, and those of this one whatever they
// did.
void StudyController::list_imports()
{
    std::map<std::int64_t, std::string, std::greater<>> all;
    for (const TakenImport& import : imports_of(progress_))
    {
        all[import.time_ms] = words_of(import);
    }
    for (const TakenImport& import : taken_)
    {
        all[import.time_ms] = words_of(import);
    }
    frame_.imports.clear();
    for (auto& [time_ms, name] : all)
    {
        frame_.imports.push_back({time_ms, std::move(name)});
    }
}

} // namespace ringside
