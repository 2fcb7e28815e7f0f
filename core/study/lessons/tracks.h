// Ways through the course for a purpose: lessons in an order of their own, by part, with
// practice between them. Reading and what must hold; the lessons are lesson_course.h's.
#pragma once

#include "core/study/lessons/lesson.h"
#include "core/study/sessions/deck.h"

#include <nlohmann/json_fwd.hpp>

#include <span>

namespace ringside
{

struct TrackPart
{
    std::string title;
    std::vector<std::string> lessons; // ids, in this order
    std::vector<std::string> topics;  // of the drill at the end
    int drill_minutes = 0;            // 0: no drill
    int mock_minutes = 0;             // of a mock interview; 0: none
};

struct CourseTrack
{
    std::string id;
    std::string title;
    std::string about;
    int most_minutes = 0;         // of all its lessons and practice; 0: no limit
    int max_minutes_per_part = 0; // the same of each part
    std::vector<TrackPart> parts;

    // The ids of all its lessons in order.
    std::vector<std::string> lessons() const;
};

// Schema ringside.tracks/1; every fault by its path.
Result<std::vector<CourseTrack>> read_tracks(const nlohmann::json& file);

// [min] of a part's lessons and practice. A lesson that is not there takes no time.
double minutes_of(const TrackPart& part, std::span<const Lesson> course);

// Each lesson is there, is named once in a track and comes after those of the track that it builds on; no
// part and no track takes longer than it says. Without any lessons there is nothing to check.
Issues check_tracks(std::span<const CourseTrack> tracks, std::span<const Lesson> course);

// Null where there is none of this id.
const CourseTrack* find_track(std::span<const CourseTrack> tracks, std::string_view id);

// The deck of a part's drill.
DeckRequest drill_of(const TrackPart& part);

} // namespace ringside
