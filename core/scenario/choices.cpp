#include "core/scenario/choices.h"

#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostMicroBatches = 4096;
constexpr std::int64_t kMostTensor = 64;

// 1, 2, 3, 4, 6, 8, 12, 16 ... up to `most`.
std::vector<std::int64_t> halves_and_thirds(std::int64_t most)
{
    std::vector<std::int64_t> found;
    for (std::int64_t power = 1; power <= most; power *= 2)
    {
        found.push_back(power);
        if (power > 1 && power / 2 * 3 <= most)
        {
            found.push_back(power / 2 * 3);
        }
    }
    return found;
}

std::int64_t replica_gpus(const Scenario& s)
{
    return s.parallel.tensor * s.parallel.context * s.parallel.pipeline;
}

std::vector<std::int64_t> candidates(const Scenario& s, Knob knob)
{
    switch (knob)
    {
    case Knob::gpus:
    {
        std::vector<std::int64_t> found =
            divisors(std::max<std::int64_t>(1, s.training.global_batch / s.training.micro_batch));
        for (std::int64_t& n : found)
        {
            n *= replica_gpus(s);
        }
        return found;
    }
    case Knob::tensor:
    {
        std::vector<std::int64_t> found = divisors(s.model.heads);
        std::erase_if(found, [](std::int64_t t) { return t > kMostTensor; });
        return found;
    }
    case Knob::context:
        return halves_and_thirds(64);
    case Knob::pipeline:
        return divisors(std::max<std::int64_t>(1, s.cluster.gpus / (s.parallel.tensor * s.parallel.context)));
    case Knob::chunks:
        return divisors(std::max<std::int64_t>(1, s.model.layers / s.parallel.pipeline));
    case Knob::expert:
        return divisors(std::max<std::int64_t>(1, s.model.experts));
    case Knob::micro_batch:
        return divisors(std::max<std::int64_t>(1, s.training.global_batch / data_parallel(s)));
    case Knob::micro_batches:
        return halves_and_thirds(kMostMicroBatches);
    }
    return {};
}

} // namespace

std::int64_t value_of(const Scenario& s, Knob knob)
{
    switch (knob)
    {
    case Knob::gpus:
        return s.cluster.gpus;
    case Knob::tensor:
        return s.parallel.tensor;
    case Knob::context:
        return s.parallel.context;
    case Knob::pipeline:
        return s.parallel.pipeline;
    case Knob::chunks:
        return s.parallel.chunks;
    case Knob::expert:
        return s.parallel.expert;
    case Knob::micro_batch:
        return s.training.micro_batch;
    case Knob::micro_batches:
        return micro_batches(s);
    }
    return 0;
}

Scenario with(Scenario s, Knob knob, std::int64_t value)
{
    switch (knob)
    {
    case Knob::gpus:
        s.cluster.gpus = value;
        break;
    case Knob::tensor:
        s.parallel.tensor = value;
        break;
    case Knob::context:
        s.parallel.context = value;
        break;
    case Knob::pipeline:
        s.parallel.pipeline = value;
        s.parallel.stage_layers.clear(); // they were listed for another cut
        break;
    case Knob::chunks:
        s.parallel.chunks = value;
        s.parallel.stage_layers.clear();
        break;
    case Knob::expert:
        s.parallel.expert = value;
        break;
    case Knob::micro_batch:
        s.training.micro_batch = value;
        break;
    case Knob::micro_batches:
        s.training.global_batch = value * data_parallel(s) * s.training.micro_batch;
        break;
    }
    return s;
}

Scenario with_some(const Scenario& s, Knob knob)
{
    for (const std::int64_t count : {8, 4, 2})
    {
        if (Scenario next = with(s, knob, count); !has_errors(validate(next)))
        {
            return next;
        }
    }
    return s;
}

Scenario with_schedule(Scenario s, ScheduleKind kind)
{
    const std::int64_t stages = virtual_stages(s.training.schedule, pipeline_shape(s));
    s.training.schedule = kind;
    if (s.parallel.chunks < kind->least_chunks || s.parallel.chunks > kind->most_chunks)
    {
        // Where the fewest chunks do not suit the layers, the next that do; where none do, the field says so.
        s.parallel.chunks = kind->least_chunks;
        const std::int64_t next = legal_values(s, Knob::chunks).front();
        s.parallel.chunks = std::clamp(next, kind->least_chunks, kind->most_chunks);
    }
    if (virtual_stages(kind, pipeline_shape(s)) != stages)
    {
        s.parallel.stage_layers.clear(); // they were listed for another cut
    }
    return s;
}

std::vector<std::int64_t> legal_values(const Scenario& s, Knob knob)
{
    const std::vector<std::int64_t> all = candidates(s, knob);
    std::vector<std::int64_t> legal;
    std::copy_if(all.begin(), all.end(), std::back_inserter(legal),
                 [&](std::int64_t value) { return faults(with(s, knob, value)).empty(); });
    return legal.empty() ? all : legal;
}

std::vector<std::int64_t> divisors(std::int64_t whole)
{
    std::vector<std::int64_t> found;
    for (std::int64_t d = 1; d * d <= whole; ++d)
    {
        if (whole % d == 0)
        {
            found.push_back(d);
            if (d != whole / d)
            {
                found.push_back(whole / d);
            }
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace ringside
