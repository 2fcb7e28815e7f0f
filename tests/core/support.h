// Shared by the core tests: presets and published figures, read once.
#pragma once

#include "tests/source_path.h"

#include "core/base/json/json.h"
#include "core/scenario/json/json.h"

#include <fstream>
#include <string>

namespace ringside::test
{

inline nlohmann::json read(const std::string& path)
{
    std::ifstream in(test::source_path(path));
    return nlohmann::json::parse(in);
}

inline const Presets& presets()
{
    static const Presets loaded = []
    {
        Issues issues;
        return load_presets(test::source_path("assets"), issues);
    }();
    return loaded;
}

// A model on so many GPUs of a kind, eight a node, one replica on each.
inline Scenario on_gpus(std::string_view model, std::string_view gpu, std::int64_t gpus)
{
    Scenario s;
    s.model = presets().model(model)->model;
    s.cluster.gpu = presets().gpu(gpu)->gpu;
    s.cluster.gpus = gpus;
    s.training.sequence_length = 4096;
    s.training.global_batch = gpus;
    return s;
}

// A scenario from JSON text that must be good.
inline Scenario scenario(const std::string& text)
{
    auto read = scenario_from_text(text, presets());
    if (!read)
    {
        std::string all = text;
        for (const Issue& issue : read.issues())
        {
            all += "\n" + to_line(issue);
        }
        throw std::runtime_error(all);
    }
    return *read;
}

// Kernels that reach the whole peak and cost nothing besides, so that times are FLOPs over it.
inline Calibration perfect_kernels()
{
    Calibration perfect;
    perfect.gemm_efficiency = 1e9;
    perfect.hbm_efficiency = 1e12;
    perfect.kernel_us = 0;
    perfect.host_kernel_us = 0;
    return perfect;
}

} // namespace ringside::test
