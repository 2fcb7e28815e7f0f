// The tokens a model is trained on: characters of a text, or a task that makes its own. Batches follow from
// seed, step and place alone, so the position in the data is the number of the step.
#pragma once

#include "core/lab/config.h"

#include <map>
#include <optional>
#include <vector>

namespace ringside
{

inline constexpr std::int64_t kMostSymbols = 65536;
inline constexpr std::int64_t kMostLabSymbols = 255; // of copy and sort
inline constexpr std::int64_t kMostModulus = 97;     // of addition
inline constexpr std::size_t kMostTextBytes = 64U << 20U;
// A target that is not predicted: the random half of a task.
inline constexpr std::int32_t kNoTarget = -1;

// Symbols of the data: 0 where there is none yet.
std::int64_t vocabulary_size(const LabData& data);
// Every reason why sequences of this length cannot be drawn.
Issues check_data(const LabData& data, std::int64_t sequence_length);

struct Batch
{
    std::vector<std::int32_t> tokens;  // sequences x length
    std::vector<std::int32_t> targets; // the same, one token ahead; kNoTarget where nothing is asked
};

class Corpus
{
public:
    // The data must have passed check_data().
    explicit Corpus(const LabData& data);

    std::int64_t vocabulary() const { return static_cast<std::int64_t>(symbols_.size()); }

    // `count` sequences from place `first` on of one step's batch. Validation draws from the last tenth of a
    // text, training from the rest; tasks are drawn from streams of their own.
    Batch batch(std::uint64_t seed, std::int64_t step, std::int64_t first, std::int64_t count,
                std::int64_t length, bool validation = false) const;

    std::string decode(std::int32_t token) const;
    // Characters that the data does not have are left out.
    std::vector<std::int32_t> encode(std::string_view text) const;
    // What sampling starts from: a line break, or the first symbols of a problem.
    std::vector<std::int32_t> prompt(std::uint64_t key, std::int64_t length) const;

private:
    std::vector<std::int32_t> sequence(std::uint64_t key, std::int64_t length, bool validation) const;
    bool asked(std::int64_t place, std::int64_t length) const;

    LabTask task_;
    std::int64_t poisoned_step_ = 0;
    std::int64_t values_ = 0; // symbols without separators
    std::vector<std::string> symbols_;
    std::map<std::string, std::int32_t, std::less<>> ids_;
    std::vector<std::int32_t> tokens_; // of the text
};

} // namespace ringside
