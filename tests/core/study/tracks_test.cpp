// Tracks through the course: reading, every kind of fault, and those that ship.
#include "tests/core/support.h"
#include "tests/source_path.h"
#include <fmt/format.h>

#include "core/base/json/json.h"
#include "core/study/lessons/lesson_course.h"
#include "core/study/lessons/tracks.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fstream>

using namespace ringside;
using nlohmann::json;

namespace
{

// Three lessons of 5, 7 and 8 minutes; "zero" builds on "memory".
std::vector<Lesson> course()
{
    std::vector<Lesson> lessons(3);
    lessons[0].id = "memory";
    lessons[0].minutes = 5;
    lessons[1].id = "zero";
    lessons[1].minutes = 7;
    lessons[1].prerequisites = {"memory"};
    lessons[2].id = "ring";
    lessons[2].minutes = 8;
    return lessons;
}

json small()
{
    return json::parse(R"({"schema": "ringside.tracks/1", "tracks": [
      {"id": "short", "title": "Short", "about": "Two parts.", "most_minutes": 40, "max_minutes_per_part": 25,
       "parts": [{"title": "One", "lessons": ["memory", "zero"],
                  "drill": {"topics": ["memory", "zero"], "minutes": 10}},
                 {"title": "Two", "lessons": ["ring"], "mock_minutes": 6}]}]})");
}

std::vector<CourseTrack> tracks_of(const json& file)
{
    auto read = read_tracks(file);
    REQUIRE(read);
    return *read;
}

// Every fault of reading or, without any, of what must hold.
std::string faults_of(const json& file)
{
    const auto read = read_tracks(file);
    const Issues issues = read ? check_tracks(*read, course()) : read.issues();
    std::string all;
    for (const Issue& issue : issues)
    {
        all += to_line(issue) + "\n";
    }
    return all;
}

bool says(const std::string& text, std::string_view words)
{
    INFO(text);
    return text.find(words) != std::string::npos;
}

} // namespace

TEST_CASE("a track has parts of lessons and practice, and their minutes add up")
{
    const auto tracks = tracks_of(small());
    REQUIRE(tracks.size() == 1);
    const CourseTrack& track = tracks.front();
    CHECK(track.lessons() == std::vector<std::string>{"memory", "zero", "ring"});
    CHECK(minutes_of(track.parts[0], course()) == 5 + 7 + 10);
    CHECK(minutes_of(track.parts[1], course()) == 8 + 6);
    CHECK(check_tracks(tracks, course()).empty());
    CHECK(find_track(tracks, "short") == &track);
    CHECK(find_track(tracks, "long") == nullptr);
    const DeckRequest drill = drill_of(track.parts[0]);
    CHECK(drill.filter.topics == std::vector<std::string>{"memory", "zero"});
    CHECK(drill.minutes == 10);
}

TEST_CASE("what cannot be read of a tracks file is named by its path")
{
    CHECK(says(faults_of(json::array()), "object"));
    CHECK(says(faults_of({{"schema", "ringside.tracks/9"}, {"tracks", json::array()}}), "ringside.tracks/1"));
    CHECK(says(faults_of({{"schema", "ringside.tracks/1"}, {"tracks", 3}}), "tracks: 3 "));
    json file = small();
    file["tracks"][0]["parts"] = "all";
    CHECK(says(faults_of(file), "tracks[0].parts: \"all\" "));
    file = small();
    file["tracks"][0]["parts"][0]["drill"]["topics"][1] = "zeero";
    CHECK(says(faults_of(file), "tracks[0].parts[0].drill.topics"));
    file = small();
    file["tracks"][0]["parts"][1]["mock_minutes"] = 0;
    CHECK(says(faults_of(file), "tracks[0].parts[1].mock_minutes"));
    file = small();
    file["tracks"][0]["colour"] = "red";
    CHECK(says(faults_of(file), "colour"));
    file = small();
    file["tracks"].push_back(file["tracks"][0]);
    CHECK(says(faults_of(file), "tracks[1].id: \"short\" is another track's"));
}

TEST_CASE("a track keeps the order of what builds on what, has nothing twice and ends in time")
{
    json file = small();
    auto& lessons = file["tracks"][0]["parts"][0]["lessons"];
    lessons = {"zero", "memory"};
    CHECK(says(faults_of(file), "\"zero\" comes before \"memory\""));
    lessons = {"zero"}; // the track need not have it at all
    CHECK(faults_of(file).empty());
    lessons = {"memory", "zero", "memory"};
    CHECK(says(faults_of(file), "\"memory\" is in it twice"));
    lessons = {"memory", "nothing"};
    CHECK(says(faults_of(file), "there is no lesson \"nothing\""));
    file = small();
    file["tracks"][0]["most_minutes"] = 35;
    CHECK(says(faults_of(file), "takes 36 minutes"));
    file = small();
    file["tracks"][0]["max_minutes_per_part"] = 20;
    CHECK(says(faults_of(file), "short, One: takes 22 minutes"));
}

TEST_CASE("the shipped tracks: a class in its time, seven days of an hour at most, and everything")
{
    Issues issues;
    const Course course = load_course(test::source_path("lessons"), issues);
    std::ifstream in(test::source_path("assets/study/tracks.json"));
    const auto tracks = tracks_of(json::parse(in));
    CHECK(issues.empty());
    CHECK(check_tracks(tracks, course.lessons).empty());
    REQUIRE(find_track(tracks, "class") != nullptr);
    CHECK(find_track(tracks, "class")->most_minutes == 90);
    const CourseTrack* week = find_track(tracks, "week");
    REQUIRE(week != nullptr);
    CHECK(week->parts.size() == 7);
    CHECK(week->max_minutes_per_part == 60);
    const CourseTrack* engineer = find_track(tracks, "engineer");
    REQUIRE(engineer != nullptr);
    CHECK(engineer->lessons().size() == course.lessons.size());
}
