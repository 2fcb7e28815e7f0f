// An answer said aloud against the clock, then judged by the points that were made. A value; every input
// comes with its time. Nothing is recorded.
#pragma once

#include "core/study/sessions/drill.h"

namespace ringside
{

enum class SpokenStage : std::uint8_t
{
    ready,
    speaking,
    ticking, // the points are on show
    over
};
struct TickPoint
{
    std::size_t point = 0; // on or off
};
enum class SpokenKey : std::uint8_t
{
    start,
    stop,
    tick,  // time goes by
    teach, // "I could teach it", on or off
    accept,
    leave
};
using SpokenInput = std::variant<TickPoint, SpokenKey>;

struct SpokenSession
{
    DeckCard card;
    std::int64_t limit_ms = 60'000;
    SpokenStage stage = SpokenStage::ready;
    std::int64_t started_ms = 0;
    std::int64_t spoken_ms = 0;
    std::vector<bool> points; // made
    bool could_teach = false;
    std::string task; // of the plan, that this answer does; may be empty

    bool operator==(const SpokenSession&) const = default;
    Grade grade() const;
};

// A question that is answered aloud: what is due first, then what is new, then the least remembered. Nothing
// where the filter lets none through.
std::optional<DeckCard> pick_spoken(const StudyState& study, const DeckFilter& filter, std::uint64_t seed);
// `points` of the question's rubric, at least one.
SpokenSession start_spoken(const DeckCard& card, std::size_t points, double limit_s = 60);
std::vector<ProgressChange> apply(SpokenSession& session, const SpokenInput& input, std::int64_t now_ms);

} // namespace ringside
