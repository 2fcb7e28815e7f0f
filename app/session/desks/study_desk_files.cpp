// The desk's exports and imports: texts for other tools, and from them.
#include <fmt/format.h>

#include "app/session/desks/study_desk.h"
#include "core/base/counted.h"
#include "core/study/progress/merge.h"

#include <algorithm>

namespace ringside
{

StudyDesk::Answer StudyDesk::send(const ExportStudy& action)
{
    const std::string day = date_text(frame_.now.day());
    switch (action.what)
    {
    case StudyExport::history:
        return {"", "", fmt::format("ringside-history-{}.csv", day), history_csv(progress_)};
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
        notice = fmt::format("{} added", counted(static_cast<std::int64_t>(count), "review"));
        issues = std::move(read.issues);
    }
    else
    {
        auto read = cards_from_anki(text);
        merge(progress_, read.entries);
        notice = fmt::format("{} added", counted(static_cast<std::int64_t>(read.entries.size()), "card"));
        issues = std::move(read.issues);
    }
    if (!issues.empty())
    {
        notice +=
            fmt::format("; {} left out, the first: {}",
                        counted(static_cast<std::int64_t>(issues.size()), "fault"), to_line(issues.front()));
    }
    list_families();
    const std::string fault = changed();
    return {fault.empty() ? notice : fault};
}

} // namespace ringside
