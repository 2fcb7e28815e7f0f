// The progress file, out: one entry a line, so that people, diff and salvage can read it. And in.
#include <fmt/format.h>

#include "core/study/entry.h"
#include "core/study/progress_sections.h"

#include <algorithm>
#include <array>
#include <functional>

namespace ringside
{

namespace
{

using nlohmann::json;
using nlohmann::ordered_json;
using Need = EntryReader::Need;

constexpr std::int64_t kLastMs = 32'503'680'000'000; // the year 3000

std::string line_of(const ordered_json& entry)
{
    return entry.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json out(const Review& r)
{
    ordered_json o{{"card", r.card},
                   {"time_ms", r.time_ms},
                   {"rating", static_cast<int>(r.rating)},
                   {"state", static_cast<int>(r.state)},
                   {"duration_ms", r.duration_ms},
                   {"seed", r.seed},
                   {"variant", r.variant},
                   {"hints", r.hints}};
    if (r.automatic)
    {
        o["automatic"] = static_cast<int>(*r.automatic);
    }
    if (!r.mistake.empty())
    {
        o["mistake"] = r.mistake;
    }
    if (!r.answer.empty())
    {
        o["answer"] = r.answer;
    }
    return o;
}

ordered_json out(const SkillScore& s)
{
    return {{"skill", s.skill}, {"score", s.score}, {"time_ms", s.time_ms}};
}

ordered_json out(const TaskDone& t)
{
    return {{"task", t.task}, {"time_ms", t.time_ms}};
}

ordered_json out(const LessonGuess& g)
{
    return {{"lesson", g.lesson}, {"step", g.step}, {"guess", g.guess},
            {"truth", g.truth},   {"unit", g.unit}, {"time_ms", g.time_ms}};
}

ordered_json out(const PersonalCard& c)
{
    return {{"id", c.id}, {"front", c.front}, {"back", c.back}, {"tags", c.tags}};
}

ordered_json out(const std::string& family)
{
    return {{"family", family}};
}

template <class Range, class To>
void add_section(std::string& text, const char* name, const Range& entries, To&& to)
{
    text += fmt::format(",\n\"{}\": [", name);
    const char* separator = "\n";
    for (const auto& entry : entries)
    {
        text += separator + line_of(to(entry));
        separator = ",\n";
    }
    text += entries.empty() ? "]" : "\n]";
}

// One of the numbers 1 to 4; 0 is none.
std::optional<Grade> grade_of(int number)
{
    return number == 0 ? std::nullopt : std::optional(static_cast<Grade>(number));
}

void review_in(EntryReader& e, Progress& p)
{
    Review r;
    int rating = 3;
    int state = 0;
    int automatic = 0;
    e.text("card", r.card);
    e.whole("time_ms", r.time_ms, 0, kLastMs);
    e.whole("rating", rating, 1, 4);
    e.whole("state", state, 0, 3, Need::may);
    e.whole("duration_ms", r.duration_ms, 0, kLastMs, Need::may);
    e.seed("seed", r.seed);
    e.whole("variant", r.variant, 0, 1'000'000, Need::may);
    e.whole("hints", r.hints, 0, 3, Need::may);
    e.whole("automatic", automatic, 1, 4, Need::may);
    e.text("mistake", r.mistake, Need::may);
    e.text("answer", r.answer, Need::may);
    r.rating = static_cast<Grade>(rating);
    r.state = static_cast<CardPhase>(state);
    r.automatic = grade_of(automatic);
    if (e.finish())
    {
        p.reviews.push_back(std::move(r));
    }
}

void skill_in(EntryReader& e, Progress& p)
{
    SkillScore s;
    e.text("skill", s.skill);
    e.whole("score", s.score, 1, 5);
    e.whole("time_ms", s.time_ms, 0, kLastMs);
    if (e.finish())
    {
        p.skills.push_back(std::move(s));
    }
}

void task_in(EntryReader& e, Progress& p)
{
    TaskDone t;
    e.text("task", t.task);
    e.whole("time_ms", t.time_ms, 0, kLastMs);
    if (e.finish())
    {
        p.tasks.push_back(std::move(t));
    }
}

void guess_in(EntryReader& e, Progress& p)
{
    LessonGuess g;
    e.text("lesson", g.lesson);
    e.text("step", g.step);
    e.number("guess", g.guess);
    e.number("truth", g.truth);
    e.text("unit", g.unit, Need::may);
    e.whole("time_ms", g.time_ms, 0, kLastMs);
    if (e.finish())
    {
        p.guesses.push_back(std::move(g));
    }
}

void personal_in(EntryReader& e, Progress& p)
{
    PersonalCard c;
    e.text("id", c.id);
    e.text("front", c.front);
    e.text("back", c.back, Need::may);
    e.texts("tags", c.tags);
    if (e.finish())
    {
        apply(p, c);
    }
}

template <class Put>
void pair_in(EntryReader& e, const char* key, const char* value, Put&& put)
{
    std::string name;
    std::string text;
    e.text(key, name);
    if (value != nullptr)
    {
        e.text(value, text);
    }
    if (e.finish())
    {
        put(name, text);
    }
}

constexpr std::array<ProgressSection, 9> kSections{{
    {"flags", [](EntryReader& e, Progress& p)
     { pair_in(e, "family", nullptr, [&](const auto& name, const auto&) { p.flags.insert(name); }); }},
    {"suspended", [](EntryReader& e, Progress& p)
     { pair_in(e, "family", nullptr, [&](const auto& name, const auto&) { p.suspended.insert(name); }); }},
    {"notes", [](EntryReader& e, Progress& p)
     { pair_in(e, "family", "text", [&](const auto& name, const auto& text) { p.notes[name] = text; }); }},
    {"places",
     [](EntryReader& e, Progress& p) {
         pair_in(e, "lesson", "step",
                 [&](const auto& name, const auto& text) { p.lesson_places[name] = text; });
     }},
    {"skills", skill_in},
    {"tasks", task_in},
    {"guesses", guess_in},
    {"personal", personal_in},
    {"reviews", review_in},
}};

void read_day(EntryReader& e, const char* name, std::optional<StudyDay>& target)
{
    std::string text;
    e.text(name, text, Need::may);
    if (text.empty())
    {
        return;
    }
    target = parse_date(text);
    if (!target)
    {
        e.fault(name, fmt::format("\"{}\" is no date", text), "use \"2026-12-05\"");
    }
}

void read_weights(EntryReader& e, Progress& p)
{
    const json* given = e.member("weights");
    if (given == nullptr)
    {
        return;
    }
    const bool numbers = given->is_array() && std::all_of(given->begin(), given->end(),
                                                          [](const json& n) { return n.is_number(); });
    const auto weights = numbers ? upgraded_weights(given->get<std::vector<double>>())
                                 : Result<FsrsWeights>(Issue{"weights", "is not a list of numbers", ""});
    if (weights)
    {
        p.weights = *weights;
        return;
    }
    for (const Issue& issue : weights.issues())
    {
        e.fault(issue.path.c_str(), issue.message, issue.hint);
    }
}

} // namespace

std::span<const ProgressSection> progress_sections()
{
    return kSections;
}

void read_progress_settings(const json& file, ProgressRead& read)
{
    EntryReader e(file, "", read.issues);
    e.member("schema");
    for (const ProgressSection& section : kSections)
    {
        e.member(section.name);
    }
    read_day(e, "interview", read.progress.interview);
    read_day(e, "plan_start", read.progress.plan_start);
    double retention = read.progress.retention;
    e.number("retention", retention, Need::may);
    if (retention >= 0.7 && retention <= 0.99)
    {
        read.progress.retention = retention;
    }
    else
    {
        e.fault("retention", fmt::format("{} is out of range", retention), "use 0.7 to 0.99");
    }
    read_weights(e, read.progress);
    e.finish();
}

void read_progress_entry(const ProgressSection& section, const json& entry, const std::string& path,
                         ProgressRead& read)
{
    EntryReader e(entry, path, read.issues);
    section.read(e, read.progress);
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
        if (!found->is_array())
        {
            read.issues.push_back({section.name, "is not a list", "use [...]"});
            continue;
        }
        for (std::size_t i = 0; i < found->size(); ++i)
        {
            read_progress_entry(section, (*found)[i], fmt::format("{}[{}]", section.name, i), read);
        }
    }
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
    const auto plain = [](const auto& entry) { return out(entry); };
    add_section(text, "flags", p.flags, plain);
    add_section(text, "suspended", p.suspended, plain);
    add_section(text, "notes", p.notes,
                [](const auto& n) {
                    return ordered_json{{"family", n.first}, {"text", n.second}};
                });
    add_section(text, "places", p.lesson_places,
                [](const auto& n) {
                    return ordered_json{{"lesson", n.first}, {"step", n.second}};
                });
    add_section(text, "skills", p.skills, plain);
    add_section(text, "tasks", p.tasks, plain);
    add_section(text, "guesses", p.guesses, plain);
    add_section(text, "personal", p.personal, plain);
    add_section(text, "reviews", p.reviews, plain);
    return text + "\n}\n";
}

ProgressRead read_progress(std::string_view text)
{
    ProgressRead read;
    const json file = json::parse(text, nullptr, false);
    const json schema = file.is_object() ? file.value("schema", json()) : json();
    const bool later = schema.is_string()
                           ? schema != kProgressSchema
                           : !file.is_object() && text.find("ringside.progress/") != std::string_view::npos &&
                                 text.find(kProgressSchema) == std::string_view::npos;
    if (file.is_object() && !later)
    {
        read_whole(file, read);
    }
    else if (!later)
    {
        read.issues.push_back({"file", "it is broken", "what stands in it in one piece was read"});
        salvage_progress(text, read);
    }
    read.whole = read.issues.empty() && schema == kProgressSchema;
    read.foreign = later || (!read.whole && read.progress == Progress{});
    if (read.foreign || (!read.whole && read.issues.empty()))
    {
        read.issues.push_back({"schema", "this is no progress file of this version",
                               fmt::format("it should say \"schema\": \"{}\"", kProgressSchema)});
    }
    return read;
}

} // namespace ringside
