// The progress file, out: one entry a line, so that people, diff and salvage can read it. And in.
#include <fmt/format.h>

#include "core/base/text/read_text.h"
#include "core/study/progress/merge.h"
#include "core/study/progress/progress_sections.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace ringside
{

namespace
{

using nlohmann::json;
using nlohmann::ordered_json;

constexpr double kLastMs = 32'503'680'000'000; // the year 3000

std::string line_of(const ordered_json& entry)
{
    return entry.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// Entries that are kept as a name or as a pair of names.
using Pair = std::pair<std::string, std::string>;
const JsonTable<std::string> kFamilyTable{{{"family", std::identity(), kNeeded}}};
const JsonTable<Pair> kNoteTable{{{"family", &Pair::first, kNeeded}, {"text", &Pair::second, kNeeded}}};
const JsonTable<Pair> kPlaceTable{{{"lesson", &Pair::first, kNeeded}, {"step", &Pair::second, kNeeded}}};

constexpr JsonRule kTime{.needed = true, .least = 0, .most = kLastMs};
constexpr JsonRule kGrade{.least = 1, .most = 4, .by_number = true};

// What files of earlier versions call the skills, by number.
constexpr std::string_view kFormerSkill = "004-SA";
constexpr std::array<std::string_view, 8> kSkillNow{
    "model-memory", "data-parallelism", "tensor-parallelism", "pipeline-parallelism",
    "zero-stages",  "ring-all-reduce",  "scaling-laws",       "layout-design"};
std::string skill_now(const std::string& skill)
{
    const std::size_t at = skill.starts_with(kFormerSkill) && skill.size() == kFormerSkill.size() + 1
                               ? static_cast<std::size_t>(skill.back() - '1')
                               : kSkillNow.size();
    return at < kSkillNow.size() ? std::string(kSkillNow.at(at)) : skill;
}

const JsonTable<SkillScore> kScoreTable{{
    {"skill", &SkillScore::skill, kNeeded},
    {"score", &SkillScore::score, {.needed = true, .least = 1, .most = 5}},
    {"time_ms", &SkillScore::time_ms, kTime},
}};

const JsonTable<TaskDone> kDoneTable{{
    {"task", &TaskDone::task, kNeeded},
    {"time_ms", &TaskDone::time_ms, kTime},
}};

const JsonTable<LessonGuess> kGuessTable{{
    {"lesson", &LessonGuess::lesson, kNeeded},
    {"step", &LessonGuess::step, kNeeded},
    {"guess", &LessonGuess::guess, kNeeded},
    {"truth", &LessonGuess::truth, kNeeded},
    {"unit", &LessonGuess::unit},
    {"time_ms", &LessonGuess::time_ms, kTime},
}};

const JsonTable<PersonalCard> kPersonalTable{{
    {"id", &PersonalCard::id, kNeeded},
    {"front", &PersonalCard::front, kNeeded},
    {"back", &PersonalCard::back},
    {"tags", &PersonalCard::tags},
    {"imported_ms", &PersonalCard::imported_ms, {.least = 0, .most = kLastMs}},
}};

const JsonTable<Review> kReviewTable{{
    {"card", &Review::card, kNeeded},
    {"time_ms", &Review::time_ms, kTime},
    {"rating", &Review::rating, {.needed = true, .least = 1, .most = 4, .by_number = true}},
    {"state", &Review::state, {.least = 0, .most = 3}},
    {"duration_ms", &Review::duration_ms, {.least = 0, .most = kLastMs}},
    {"seed", &Review::seed},
    {"variant", &Review::variant, {.least = 0, .most = 1'000'000}},
    {"hints", &Review::hints, {.least = 0, .most = 3}},
    {"automatic", &Review::automatic, kGrade},
    {"mistake", &Review::mistake, {.unless_empty = true}},
    {"answer", &Review::answer, {.unless_empty = true}},
}};

void put(Progress&, std::set<std::string>& list, std::string entry)
{
    list.insert(std::move(entry));
}
void put(Progress&, std::map<std::string, std::string>& list, Pair entry)
{
    list.insert_or_assign(std::move(entry.first), std::move(entry.second));
}
void put(Progress&, std::vector<SkillScore>& list, SkillScore entry)
{
    entry.skill = skill_now(entry.skill);
    list.push_back(std::move(entry));
}
template <class T>
void put(Progress&, std::vector<T>& list, T entry)
{
    list.push_back(std::move(entry));
}

template <class List, class T>
ProgressSection section(const char* name, List Progress::*list, const JsonTable<T>& table)
{
    return {name,
            [list, &table](const JsonPlace& place, Progress& progress)
            {
                T entry;
                if (table.read(place, entry))
                {
                    put(progress, progress.*list, std::move(entry));
                }
            },
            [name, list, &table](const Progress& progress)
            {
                std::string text = fmt::format(",\n\"{}\": [", name);
                const char* separator = "\n";
                for (const auto& entry : progress.*list)
                {
                    text += separator + line_of(table.write(T(entry)));
                    separator = ",\n";
                }
                return text + ((progress.*list).empty() ? "]" : "\n]");
            }};
}

const std::array<ProgressSection, 9> kSections{
    section("flags", &Progress::flags, kFamilyTable),
    section("suspended", &Progress::suspended, kFamilyTable),
    section("notes", &Progress::notes, kNoteTable),
    section("places", &Progress::lesson_places, kPlaceTable),
    section("skills", &Progress::skills, kScoreTable),
    section("tasks", &Progress::tasks, kDoneTable),
    section("guesses", &Progress::guesses, kGuessTable),
    section("personal", &Progress::personal, kPersonalTable),
    section("reviews", &Progress::reviews, kReviewTable),
};

void read_day(const JsonPlace& place, std::optional<StudyDay>& target)
{
    const auto* text = place.value.get_ptr<const std::string*>();
    target = text ? parse_date(*text) : std::nullopt;
    if (!target)
    {
        place.fault(shown(place.value) + " is no date", "use \"2026-12-05\"");
    }
}

void read_weights(const JsonPlace& place, Progress& p)
{
    const std::size_t before = place.issues.size();
    std::vector<double> given;
    read_value(place, {}, given);
    const auto weights = upgraded_weights(given);
    if (place.issues.size() == before && weights)
    {
        p.weights = *weights;
    }
    else if (!weights)
    {
        append(place.issues, weights.issues());
    }
}

// What stands outside the lists.
const JsonTable<Progress> kSettingsTable{{
    {"retention", &Progress::retention, {.least = 0.7, .most = 0.99}},
    {"weights", read_weights},
    {"interview", [](const JsonPlace& place, Progress& p) { read_day(place, p.interview); }},
    {"plan_start", [](const JsonPlace& place, Progress& p) { read_day(place, p.plan_start); }},
}};

} // namespace

std::span<const ProgressSection> progress_sections()
{
    return kSections;
}

void read_progress_settings(const json& file, ProgressRead& read)
{
    const JsonPlace place{file, "", read.issues};
    std::vector<std::string> known = kSettingsTable.names();
    known.insert(known.end(), {"schema", "checksum"});
    for (const ProgressSection& section : kSections)
    {
        known.emplace_back(section.name);
    }
    kSettingsTable.take(place, read.progress);
    place.refuse_others(known);
}

namespace
{

void read_whole(const json& file, ProgressRead& read)
{
    read_progress_settings(file, read);
    for (const ProgressSection& section : kSections)
    {
        const auto found = file.find(section.name);
        if (found == file.end())
        {
            continue;
        }
        const JsonPlace list{*found, section.name, read.issues};
        for (std::size_t i = 0; list.is_list() && i < found->size(); ++i)
        {
            section.read(list.entry(i), read.progress);
        }
    }
}

// The file's second line: a sum over all the others.
constexpr std::string_view kSumStarts = "\"checksum\": \"";

std::string sum_line(std::string_view others)
{
    return fmt::format("{}{:016x}\",\n", kSumStarts, checksum(others));
}

// Files of earlier versions have no sum, and nothing to be held against.
bool sum_holds(std::string_view text)
{
    const std::size_t at = text.find(kSumStarts);
    if (at == std::string_view::npos || at > 8)
    {
        return true;
    }
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string others = std::string(text.substr(0, at)).append(text.substr(end));
    return text.substr(at, end - at) == sum_line(others);
}

constexpr std::string_view kAnyVersion = "ringside.progress/";

bool is_later(const json& file, std::string_view text)
{
    const json schema = file.is_object() ? file.value("schema", json()) : json();
    if (!schema.is_string())
    {
        return !file.is_object() && text.find(kAnyVersion) != std::string_view::npos &&
               text.find(kProgressSchema) == std::string_view::npos;
    }
    // Another name is a later one's, or this one's with a letter that has changed.
    return schema.get_ref<const std::string&>() != kProgressSchema &&
           (schema.get_ref<const std::string&>().starts_with(kAnyVersion) || sum_holds(text));
}

} // namespace

std::string to_text(const Progress& p)
{
    std::string text = fmt::format("{{\n\"schema\": \"{}\"", kProgressSchema);
    const auto setting = [&](const char* name, const ordered_json& value)
    { text += fmt::format(",\n\"{}\": {}", name, line_of(value)); };
    setting("retention", p.retention);
    if (p.weights != kFsrs6Defaults)
    {
        setting("weights", p.weights);
    }
    if (p.interview)
    {
        setting("interview", date_text(*p.interview));
    }
    if (p.plan_start)
    {
        setting("plan_start", date_text(*p.plan_start));
    }
    for (const ProgressSection& section : kSections)
    {
        text += section.write(p);
    }
    text += "\n}\n";
    return text.insert(2, sum_line(text));
}

bool is_later_progress(std::string_view text)
{
    const json file = json::parse(text, nullptr, false);
    return file.is_object() && is_later(file, text);
}

ProgressRead read_progress(std::string_view text)
{
    ProgressRead read;
    const json file = json::parse(text, nullptr, false);
    const json schema = file.is_object() ? file.value("schema", json()) : json();
    const bool later = is_later(file, text);
    if (file.is_object() && !later)
    {
        read_whole(file, read);
        if (!sum_holds(text))
        {
            read.issues.push_back({"checksum", "the file has changed since it was saved",
                                   "after editing it by hand, remove the line that says checksum"});
        }
    }
    else if (!later)
    {
        read.issues.push_back({"file", "it is broken", "what stands in it in one piece was read"});
        salvage_progress(text, read);
    }
    const auto* word = schema.get_ptr<const std::string*>();
    read.whole = read.issues.empty() && word != nullptr && *word == kProgressSchema;
    const std::vector<PersonalCard> cards = std::exchange(read.progress.personal, {});
    merge(read.progress, cards); // the last of an id counts
    read.foreign = later || (!read.whole && read.progress == Progress{});
    if (read.foreign || (!read.whole && read.issues.empty()))
    {
        const bool named = word != nullptr && word->starts_with(kAnyVersion);
        read.issues.push_back({"schema",
                               later && named ? fmt::format("{} is of a later version", shown(schema))
                                              : "this is no progress file",
                               fmt::format("this version reads \"schema\": \"{}\"", kProgressSchema)});
    }
    return read;
}

} // namespace ringside
