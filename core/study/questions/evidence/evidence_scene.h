// The pictures of evidence, one function each. Inside of evidence.cpp.
#pragma once

#include "core/base/random.h"
#include "core/study/questions/evidence/evidence.h"

namespace ringside
{

// What every generator gets: its fault, its numbers, and room for what it makes.
struct Scene
{
    std::string fault;
    const nlohmann::json& settings;
    SplitMix rng;
    Evidence out;

    EvidenceSeries& series(std::string name, std::string unit)
    {
        out.series.push_back({std::move(name), std::move(unit), {}, {}});
        return out.series.back();
    }
    double between(double low, double high) { return low + (high - low) * rng.uniform(); }
    bool is(std::string_view f) const { return fault == f; }
};

// Lanes of a step: evidence_trace.cpp.
void make_trace(Scene& scene);

struct EvidenceMaker
{
    std::string_view id; // "loss"
    void (*make)(Scene&);
    std::vector<std::string_view> faults;
};
// To add one, add a row to the table at the bottom of evidence_scene.cpp.
const std::vector<EvidenceMaker>& evidence_makers();

} // namespace ringside
