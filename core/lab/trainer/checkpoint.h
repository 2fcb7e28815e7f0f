// A training as bytes that can be saved and gone on from, bit for bit: configuration, text, weights, moments,
// counters. Says nothing about files.
#pragma once

#include "core/lab/trainer/trainer.h"

namespace ringside::trainer
{

inline constexpr std::string_view kCheckpointBegins = "ringside.checkpoint/"; // then the version
inline constexpr std::size_t kMostCheckpointBytes = std::size_t{8} << 30U;

struct Checkpoint
{
    TrainerConfig config;
    TrainerState state;
};

// One line that names format and version, a JSON header, the parts as they lie in memory, a checksum.
std::string checkpoint_text(const Checkpoint& checkpoint);
// Faults: no checkpoint, another version, cut short, changed.
Result<Checkpoint> checkpoint_from_text(std::string_view text);

} // namespace ringside::trainer
