#include "core/lab/sound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ringside
{

float pitch_of_loss(double loss)
{
    constexpr double kLowest = 110;   // [Hz]
    constexpr double kHighest = 1760; // [Hz]
    constexpr double kSemitones = 8;  // per nat
    return static_cast<float>(
        std::clamp(kLowest * std::exp2(kSemitones / 12 * std::max(0.0, loss)), kLowest, kHighest));
}

Score score_of_step(std::int64_t step, std::span<const double> losses)
{
    constexpr double kSeconds = 0.12;
    Score score;
    score.voice = "run";
    score.kinds = {"loss"};
    score.length = 1;
    score.seconds = kSeconds;
    score.take = step;
    for (const double loss : losses)
    {
        score.notes.emplace_back();
        score.caption += score.caption.empty() ? "loss " : " and ";
        score.caption += std::isfinite(loss) ? fmt::format("{:.2f}", loss) : "not finite: silence";
        if (std::isfinite(loss))
        {
            score.notes.back().push_back({0, 1, pitch_of_loss(loss), 0});
        }
    }
    finish_score(score);
    return score;
}

} // namespace ringside
