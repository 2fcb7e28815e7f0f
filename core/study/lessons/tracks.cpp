#include "core/study/lessons/tracks.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/base/text/find_by.h"

#include <set>

namespace ringside
{

namespace
{

constexpr int kMostTrackMinutes = 100000;

const Lesson* find(std::span<const Lesson> course, std::string_view id)
{
    return find_by(course, id, &Lesson::id);
}

const JsonTable<TrackPart> kDrillTable{{
    {"topics", &TrackPart::topics, {.check = no_topic}},
    {"minutes", &TrackPart::drill_minutes, {.needed = true, .least = 1, .most = 120}},
}};

const JsonTable<TrackPart> kPartTable{{
    {"title", &TrackPart::title, kNeeded},
    {"lessons", &TrackPart::lessons},
    {"drill", [](const JsonPlace& place, TrackPart& part) { kDrillTable.read(place, part); }},
    {"mock_minutes", &TrackPart::mock_minutes, {.least = 1, .most = 120}},
}};

const JsonTable<CourseTrack> kTrackTable{{
    {"id", &CourseTrack::id, kNeeded},
    {"title", &CourseTrack::title, kNeeded},
    {"about", &CourseTrack::about, kNeeded},
    {"most_minutes", &CourseTrack::most_minutes, {.least = 1, .most = kMostTrackMinutes}},
    {"max_minutes_per_part", &CourseTrack::max_minutes_per_part, {.least = 1, .most = kMostTrackMinutes}},
    {"parts", &CourseTrack::parts, kPartTable, {.needed = true, .least = 1}},
}};

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
            add_if(issues, all.contains(before) && !seen.contains(before),
                   fault(track, "", fmt::format("\"{}\" comes before \"{}\"", id, before),
                         "it builds on it: turn them round"));
        }
        add_if(issues, !seen.insert(id).second,
               fault(track, "", fmt::format("\"{}\" is in it twice", id), "take one out"));
    }
}

void check_minutes(const CourseTrack& track, std::span<const Lesson> course, Issues& issues)
{
    double all = 0;
    for (const TrackPart& part : track.parts)
    {
        const double minutes = minutes_of(part, course);
        all += minutes;
        add_if(issues, track.max_minutes_per_part > 0 && minutes > track.max_minutes_per_part,
               fault(track, ", " + part.title, fmt::format("takes {:.0f} minutes", minutes),
                     fmt::format("a part may take {}", track.max_minutes_per_part)));
    }
    add_if(issues, track.most_minutes > 0 && all > track.most_minutes,
           fault(track, "", fmt::format("takes {:.0f} minutes", all),
                 fmt::format("it may take {}", track.most_minutes)));
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

Result<std::vector<CourseTrack>> read_tracks(const nlohmann::json& file)
{
    Issues issues;
    auto tracks = read_list(file, "ringside.tracks/1", "tracks", kTrackTable, issues);
    for (std::size_t i = 0; i < tracks.size(); ++i)
    {
        add_if(issues, find_track(std::span(tracks).first(i), tracks[i].id) != nullptr,
               {fmt::format("tracks[{}].id", i), fmt::format("\"{}\" is another track's", tracks[i].id),
                "use one of its own"});
    }
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
    return find_by(tracks, id, &CourseTrack::id);
}

DeckRequest drill_of(const TrackPart& part)
{
    DeckRequest request;
    request.filter.topics = part.topics;
    request.minutes = part.drill_minutes;
    return request;
}

} // namespace ringside
