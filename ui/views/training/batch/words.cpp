#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/training/batch/pictures.h"

namespace ringside
{

std::string steps_words(std::int64_t steps)
{
    return steps < 10'000'000 ? grouped(steps) : format_count(static_cast<double>(steps));
}

Caption batch_caption(const Frame& frame, const BatchState& state)
{
    const Scenario& s = frame.now.scenario;
    const BatchSplit split = shown_split(state, s);
    const auto solved = solve_batch(split, state.unknown);
    Caption caption;
    caption.source = "B is what one optimizer step averages over: replicas times rounds times micro-batch. "
                     "Micro-batch times accumulation alone is one replica\u2019s share.";
    if (!solved)
    {
        const Issue& issue = solved.issues().front();
        caption.sentence = fmt::format("!!{}!!: {}.", issue.message, issue.hint);
        caption.formula = "B = DP \u00d7 accum \u00d7 mb";
        return caption;
    }
    caption.sentence =
        fmt::format("One step reads **{} sequence{}, {} tokens**: {} replica{}, {} round{} of {}. The run is "
                    "**{} steps**.",
                    grouped(split.of(BatchPart::global)), split.of(BatchPart::global) == 1 ? "" : "s",
                    format_count(batch_tokens(s)), grouped(split.of(BatchPart::replicas)),
                    split.of(BatchPart::replicas) == 1 ? "" : "s", grouped(split.of(BatchPart::accumulation)),
                    split.of(BatchPart::accumulation) == 1 ? "" : "s", grouped(split.of(BatchPart::micro)),
                    steps_words(run_steps(s)));
    caption.formula = fmt::format(
        "B = DP \u00d7 accum \u00d7 mb = {} \u00d7 {} \u00d7 {} = {};  tokens = B s = {} "
        "\u00d7 {}",
        split.of(BatchPart::replicas), split.of(BatchPart::accumulation), split.of(BatchPart::micro),
        split.of(BatchPart::global), split.of(BatchPart::global), s.training.sequence_length);
    return caption;
}

} // namespace ringside
