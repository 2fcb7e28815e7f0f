#include "core/pipeline/sound.h"

#include <utility>

namespace ringside
{

namespace
{

float hertz_of(const Pitch& pitch, Pass pass)
{
    return pass == Pass::forward ? pitch.hertz : pass == Pass::weight ? pitch.low_third : pitch.third;
}

} // namespace

Score score_of(const Timeline& timeline, std::string voice)
{
    Score score;
    score.voice = std::move(voice);
    score.kinds = {"forward", "backward", "input gradient", "weight gradient"}; // as Pass counts
    score.length = timeline.makespan;
    score.notes.resize(timeline.ranks());
    for (std::size_t r = 0; r < timeline.ranks(); ++r)
    {
        const Pitch pitch = pitch_of(r, timeline.ranks());
        for (const Event& e : timeline.rank(r))
        {
            score.notes[r].push_back({e.start, e.end, hertz_of(pitch, e.operation.pass),
                                      static_cast<std::uint8_t>(e.operation.pass)});
        }
    }
    finish_score(score);
    return score;
}

} // namespace ringside
