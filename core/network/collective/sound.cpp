#include "core/network/collective/sound.h"

#include <algorithm>

namespace ringside
{

Score score_of(const Collective& collective)
{
    constexpr float kOthers = 0.3F; // the level of all chunks but the first
    Score score;
    score.voice = "rank";
    score.kinds = {"adding a chunk", "copying a chunk"};
    score.length = static_cast<double>(collective.steps.size());
    score.notes.resize(static_cast<std::size_t>(collective.ranks));
    for (std::size_t step = 0; step < collective.steps.size(); ++step)
    {
        const auto start = static_cast<double>(step);
        for (const Transfer& move : collective.steps[step].transfers)
        {
            const auto rank = static_cast<std::size_t>(move.to);
            if (rank >= score.notes.size())
            {
                continue; // the switch
            }
            std::vector<Note>& voice = score.notes[rank];
            if (voice.empty() || voice.back().start < start)
            {
                const Pitch pitch = pitch_of(rank, score.notes.size());
                voice.push_back({start, start + 1, move.adds ? pitch.hertz : pitch.third,
                                 static_cast<std::uint8_t>(move.adds ? 0 : 1), kOthers});
            }
            voice.back().level = std::max(voice.back().level, move.chunk == 0 ? 1.0F : kOthers);
        }
    }
    finish_score(score);
    return score;
}

} // namespace ringside
