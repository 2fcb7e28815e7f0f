// The scorecard of a mock interview.
#include <fmt/format.h>

#include "core/study/sessions/mock.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

std::string clock_words(std::int64_t ms)
{
    const std::int64_t s = ms / 1000;
    return fmt::format("{}:{:02}", s / 60, s % 60);
}

// One line, and no bar to be taken for a column's.
std::string cell(std::string_view text)
{
    std::string out;
    for (const char c : text)
    {
        out += c == '|' ? "\\|" : c == '\n' || c == '\r' ? " " : std::string(1, c);
    }
    return out;
}

std::string row(const MockSession& s, std::size_t i)
{
    const MockItem& item = s.items[i];
    const StudyTopic* topic = find_topic(item.topic);
    const std::string follow = item.follows ? fmt::format(" (follows {})", *item.follows + 1) : "";
    const std::string target =
        item.card.target_s > 0 ? clock_words(std::llround(item.card.target_s * 1000)) : "";
    const std::string slip = item.mistake.empty() ? "" : fmt::format(" ({})", item.mistake);
    return fmt::format("| {} | {}{} | {} | {} | {} | {} | {}{} | {} |\n", i + 1, cell(item.card.family),
                       follow, topic == nullptr ? item.topic : std::string(topic->name), name_of(item.group),
                       clock_words(item.spent_ms), target, verdict_of(item), cell(slip), cell(item.answer));
}

bool passed(const MockItem& item)
{
    return item.grade && *item.grade != Grade::again;
}

std::string by_kind(const MockSession& s)
{
    std::string out = "\n| kind | passed | of | time |\n|---|---:|---:|---:|\n";
    for (std::size_t kind = 0; kind < kKindGroups; ++kind)
    {
        int count = 0;
        int good = 0;
        std::int64_t spent = 0;
        for (const MockItem& item : s.items)
        {
            const bool of = static_cast<std::size_t>(item.group) == kind;
            count += of ? 1 : 0;
            good += of && passed(item) ? 1 : 0;
            spent += of ? item.spent_ms : 0;
        }
        if (count > 0)
        {
            out += fmt::format("| {} | {} | {} | {} |\n", name_of(static_cast<KindGroup>(kind)), good, count,
                               clock_words(spent));
        }
    }
    return out;
}

} // namespace

std::string verdict_of(const MockItem& item)
{
    if (item.correct)
    {
        return *item.correct ? "right" : "wrong";
    }
    if (item.grade)
    {
        return std::string(rubric_name(*item.grade));
    }
    return item.answered() ? "not judged" : item.visited ? "skipped" : "not reached";
}

std::string scorecard(const MockSession& s, std::span<const FamilyInfo> families, std::int64_t offset_ms)
{
    const auto good = std::ranges::count_if(s.items, passed);
    const StudyTime at{s.started_ms, offset_ms};
    std::string out = fmt::format("# Mock interview, {} minutes, {}\n\n", s.minutes, date_text(at.day()));
    out += fmt::format("Passed {} of {} in {}; Lean counts as passed. Seed {}.\n\n", good, s.items.size(),
                       clock_words(s.elapsed_ms), s.seed);
    out += "| # | question | topic | kind | time | target | verdict | answer |\n";
    out += "|---:|---|---|---|---:|---:|---|---|\n";
    for (std::size_t i = 0; i < s.items.size(); ++i)
    {
        out += row(s, i);
    }
    out += by_kind(s);
    std::vector<std::string> missed_titles;
    for (const FamilyInfo& family : families)
    {
        const bool missed = std::ranges::any_of(s.items, [&](const MockItem& i)
                                                { return i.card.family == family.id && !passed(i); });
        if (missed)
        {
            missed_titles.push_back(family.title.empty() ? family.id : family.title);
        }
    }
    return missed_titles.empty() ? out
                                 : out + fmt::format("\nTo go over: {}.\n", fmt::join(missed_titles, "; "));
}

} // namespace ringside
