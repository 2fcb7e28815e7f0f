// Shared by the trainer's tests: small configurations, a text, and ways to give a model weights of one's own.
#pragma once

#include "core/base/random.h"
#include "core/lab/trainer/cpu/cpu_backend.h"
#include "core/lab/trainer/trainer.h"

#include <catch2/catch_test_macros.hpp>

#include <cstring>

namespace ringside::test
{

inline std::shared_ptr<const std::string> short_text()
{
    static const auto text = std::make_shared<const std::string>(
        "Shall I compare thee to a summer's day?\nThou art more lovely and more temperate:\n"
        "Rough winds do shake the darling buds of May,\nAnd summer's lease hath all too short a date:\n"
        "Sometime too hot the eye of heaven shines,\nAnd often is his gold complexion dimm'd;\n"
        "And every fair from fair sometime declines,\nBy chance, or nature's changing course, untrimm'd;\n");
    return text;
}

// 2 layers of width 16, 2 heads, 8 tokens of a text, 3 sequences: some thousand parameters.
inline TrainerConfig tiny_config()
{
    TrainerConfig c = default_trainer_config();
    c.model.hidden = 16;
    c.model.heads = 2;
    c.training.sequence_length = 8;
    c.training.micro_batch = c.training.global_batch = 3;
    c.data.text = short_text();
    return c;
}

inline std::string all_of(const Issues& issues)
{
    std::string all;
    for (const Issue& issue : issues)
    {
        all += to_line(issue) + "\n";
    }
    return all;
}

// A trainer that must be possible, on one thread unless said otherwise.
inline std::unique_ptr<trainer::Trainer> make_trainer(const TrainerConfig& config, std::size_t threads = 1)
{
    auto made = trainer::Trainer::create(config, std::make_unique<trainer::CpuBackend>(threads));
    if (!made)
    {
        throw std::runtime_error(all_of(made.issues()));
    }
    return std::move(*made);
}

inline trainer::StepResult step(trainer::Trainer& t, trainer::StepView* view = nullptr)
{
    const auto result = t.step(nullptr, view);
    if (!result)
    {
        throw std::runtime_error(all_of(result.issues()));
    }
    return *result;
}

inline std::vector<double> train(trainer::Trainer& t, int steps)
{
    std::vector<double> losses;
    losses.reserve(static_cast<std::size_t>(steps));
    for (int i = 0; i < steps; ++i)
    {
        losses.push_back(step(t).loss);
    }
    return losses;
}

inline std::vector<float> fp32_weights(trainer::Trainer& t)
{
    const auto state = t.state();
    std::vector<float> weights(state.parts.front().bytes.size() / sizeof(float));
    std::memcpy(weights.data(), state.parts.front().bytes.data(), state.parts.front().bytes.size());
    return weights;
}

// Makes every weight of an fp32 model random, so that no gradient is small by the choice of first values.
inline void shake(trainer::Trainer& t, float deviation, std::uint64_t seed = 7)
{
    auto state = t.state();
    auto weights = fp32_weights(t);
    const std::uint64_t key = random_key(seed, RandomStream::weights, 1);
    for (std::size_t i = 0; i < weights.size(); ++i)
    {
        weights[i] += deviation * static_cast<float>(3.46 * (random_unit(key, i) - 0.5));
    }
    std::memcpy(state.parts.front().bytes.data(), weights.data(), state.parts.front().bytes.size());
    if (!t.restore(state).empty())
    {
        throw std::runtime_error("the state was not taken");
    }
}

} // namespace ringside::test
