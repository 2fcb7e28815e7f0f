#include "core/study/tracks.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/study/entry.h"

#include <algorithm>
#include <set>

namespace ringside
{

namespace
{

using nlohmann::json;
using Need = EntryReader::Need;

constexpr std::string_view kSchema = "ringside.tracks/1";
constexpr int kMostMinutes = 100000;

const Lesson* find(std::span<const Lesson> course, std::string_view id)
{
    const auto found = std::ranges::find(course, id, &Lesson::id);
    return found == course.end() ? nullptr : &*found;
}

void read_drill(const json& drill, const std::string& path, TrackPart& part, Issues& issues)
{
    EntryReader e(drill, path, issues);
    e.texts("topics", part.topics);
    e.whole("minutes", part.drill_minutes, 1, 120);
    for (const std::string& topic : part.topics)
    {
        if (find_topic(topic) == nullptr)
        {
            e.fault("topics", fmt::format("there is no topic \"{}\"", topic), "see the study view's topics");
        }
    }
    e.finish();
}

TrackPart read_part(const json& object, const std::string& path, Issues& issues)
{
    TrackPart part;
    EntryReader e(object, path, issues);
    e.text("title", part.title);
    e.texts("lessons", part.lessons);
    if (const json* drill = e.member("drill"))
    {
        read_drill(*drill, path + ".drill", part, issues);
    }
    e.whole("mock_minutes", part.mock_minutes, 1, 120, Need::may);
    e.finish();
    return part;
}

CourseTrack read_track(const json& object, const std::string& path, Issues& issues)
{
    CourseTrack track;
    EntryReader e(object, path, issues);
    e.text("id", track.id);
    e.text("title", track.title);
    e.text("about", track.about);
    e.whole("most_minutes", track.most_minutes, 1, kMostMinutes, Need::may);
    e.whole("most_minutes_a_part", track.most_minutes_a_part, 1, kMostMinutes, Need::may);
    const json* parts = e.member("parts");
    if (parts == nullptr || !parts->is_array() || parts->empty())
    {
        e.fault("parts", "is not a list of parts", "use [{\"title\": ..., \"lessons\": [...]}]");
    }
    else
    {
        for (std::size_t i = 0; i < parts->size(); ++i)
        {
            track.parts.push_back(read_part((*parts)[i], fmt::format("{}.parts[{}]", path, i), issues));
        }
    }
    e.finish();
    return track;
}

Issue fault(const CourseTrack& track, std::string what, std::string message, std::string hint)
{
    return {fmt::format("tracks.json: {}{}", track.id, what), std::move(message), std::move(hint)};
}

void check_lessons(const CourseTrack& track, std::span<const Lesson> course, Issues& issues)
{
    const std::vector<std::string> order = track.lessons();
    const std::set<std::string, std::less<>> all(order.begin(), order.end());
    std::set<std::string, std::less<>> seen;
    for (const std::string& id : order)
    {
        const Lesson* lesson = find(course, id);
        if (lesson == nullptr)
        {
            issues.push_back(
                fault(track, "", fmt::format("there is no lesson \"{}\"", id), "name one of the course"));
            continue;
        }
        for (const std::string& before : lesson->prerequisites)
        {
            if (all.contains(before) && !seen.contains(before))
            {
                issues.push_back(fault(track, "", fmt::format("\"{}\" comes before \"{}\"", id, before),
                                       "it builds on it: turn them round"));
            }
        }
        if (!seen.insert(id).second)
        {
            issues.push_back(fault(track, "", fmt::format("\"{}\" is in it twice", id), "take one out"));
        }
    }
}

void check_minutes(const CourseTrack& track, std::span<const Lesson> course, Issues& issues)
{
    double all = 0;
    for (const TrackPart& part : track.parts)
    {
        const double minutes = minutes_of(part, course);
        all += minutes;
        if (track.most_minutes_a_part > 0 && minutes > track.most_minutes_a_part)
        {
            issues.push_back(fault(track, ", " + part.title, fmt::format("takes {:.0f} minutes", minutes),
                                   fmt::format("a part may take {}", track.most_minutes_a_part)));
        }
    }
    if (track.most_minutes > 0 && all > track.most_minutes)
    {
        issues.push_back(fault(track, "", fmt::format("takes {:.0f} minutes", all),
                               fmt::format("it may take {}", track.most_minutes)));
    }
}

} // namespace

std::vector<std::string> CourseTrack::lessons() const
{
    std::vector<std::string> all;
    for (const TrackPart& part : parts)
    {
        all.insert(all.end(), part.lessons.begin(), part.lessons.end());
    }
    return all;
}

Result<std::vector<CourseTrack>> read_tracks(const json& file)
{
    Issues issues;
    std::vector<CourseTrack> tracks;
    EntryReader e(file, "", issues);
    std::string schema;
    e.text("schema", schema);
    if (!schema.empty() && schema != kSchema)
    {
        e.fault("schema", fmt::format("\"{}\" is not known", schema), fmt::format("use \"{}\"", kSchema));
    }
    const json* list = e.member("tracks");
    if (list == nullptr || !list->is_array())
    {
        e.fault("tracks", "is not a list", "use [...]");
    }
    for (std::size_t i = 0; list != nullptr && list->is_array() && i < list->size(); ++i)
    {
        tracks.push_back(read_track((*list)[i], fmt::format("tracks[{}]", i), issues));
        if (find_track(std::span(tracks).first(i), tracks[i].id) != nullptr)
        {
            issues.push_back({fmt::format("tracks[{}].id", i),
                              fmt::format("\"{}\" is another track's", tracks[i].id), "use one of its own"});
        }
    }
    e.finish();
    return issues.empty() ? Result(std::move(tracks)) : Result<std::vector<CourseTrack>>(std::move(issues));
}

double minutes_of(const TrackPart& part, std::span<const Lesson> course)
{
    double minutes = part.drill_minutes + part.mock_minutes;
    for (const std::string& id : part.lessons)
    {
        const Lesson* lesson = find(course, id);
        minutes += lesson == nullptr ? 0 : lesson->minutes;
    }
    return minutes;
}

Issues check_tracks(std::span<const CourseTrack> tracks, std::span<const Lesson> course)
{
    Issues issues;
    for (const CourseTrack& track : course.empty() ? std::span<const CourseTrack>() : tracks)
    {
        check_lessons(track, course, issues);
        check_minutes(track, course, issues);
    }
    return issues;
}

const CourseTrack* find_track(std::span<const CourseTrack> tracks, std::string_view id)
{
    const auto found = std::ranges::find(tracks, id, &CourseTrack::id);
    return found == tracks.end() ? nullptr : &*found;
}

DeckWish drill_of(const TrackPart& part)
{
    DeckWish wish;
    wish.filter.topics = part.topics;
    wish.minutes = part.drill_minutes;
    return wish;
}

} // namespace ringside
