#include "core/reliability/incidents/incident.h"

#include "core/base/random.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::array<FaultInfo, kFaults> kFaultTable{
    FaultInfo{
        "bad-batch", "A few bad batches",
        "Norm and loss jump within a few steps, then recover by themselves; all ranks look healthy.",
        "Chowdhery et al. 2022 (PaLM), arXiv 2204.02311, section 5.1: some 20 spikes, rewound 100 steps and "
        "200 to 500 batches skipped",
        "poison"},
    FaultInfo{"rate-too-high", "Learning rate too high",
              "After warmup the norm grows step by step, and the loss diverges and does not recover.",
              "Wortsman et al. 2023, arXiv 2309.14322; Zhang et al. 2022 (OPT), arXiv 2205.01068, section "
              "2.5: rewind and lower the rate",
              ""},
    FaultInfo{"no-warmup", "No warmup",
              "The learning rate is at its peak from step 0; the loss stalls immediately and stays too high.",
              "Wortsman et al. 2023, arXiv 2309.14322; Gilmer et al. 2021, arXiv 2110.04369", "no-warmup"},
    FaultInfo{"overflow", "FP16 activation overflow",
              "The loss scale halves again and again and does not help: the loss itself is not finite.",
              "Zeng et al. 2022 (GLM-130B), arXiv 2210.02414; the OPT-175B logbook: loss scales that crash",
              "overflow"},
    FaultInfo{"fixed-scale", "Fixed loss scale",
              "The loss scale is flat; norms overflow more and more often, those steps are skipped, and "
              "learning slows.",
              "Micikevicius et al. 2018, arXiv 1710.03740, section 3.2", "overflow"},
    FaultInfo{"bad-memory", "One faulty GPU (NaN)",
              "NaN from one step to the next, with nothing leading up to it, and first on one rank.",
              "Llama Team 2024, arXiv 2407.21783, section 3.3.4: faulty GPUs and HBM, 47% of unexpected "
              "interruptions",
              "nan"},
    FaultInfo{"wrong-rank", "Silent data corruption",
              "No spike: the gradients of one rank differ from the others', and the loss drifts.",
              "Dixit et al. 2021, arXiv 2102.11245; Gemini Team 2023, arXiv 2312.11805: silent data "
              "corruption",
              ""},
    FaultInfo{"repeated-data", "Repeated data",
              "Training loss steps down while validation loss stays or rises: repeated data is memorized.",
              "Hernandez et al. 2022, arXiv 2205.10487; Muennighoff et al. 2023, arXiv 2305.16264", ""},
    FaultInfo{"optimizer-lost", "Optimizer not loaded",
              "Loss and norm jump exactly at a restart and take a hundred steps to recover.",
              "Adam's moments start at 0 again: Kingma and Ba 2015, arXiv 1412.6980, algorithm 1",
              "no-optimizer"}};

constexpr std::array<RemedyInfo, kRemedies> kRemedyTable{
    RemedyInfo{"skip-batches", "Skip 200 batches", "PaLM, arXiv 2204.02311, section 5.1"},
    RemedyInfo{"clip", "Clip gradients at norm 1", "Pascanu et al. 2013, arXiv 1211.5063"},
    RemedyInfo{"lower-rate", "Halve the learning rate", "OPT, arXiv 2205.01068, section 2.5"},
    RemedyInfo{"warm-up", "Repeat the warmup", "Goyal et al. 2017, arXiv 1706.02677, section 2.2"},
    RemedyInfo{"adapt-scale", "Dynamic loss scale", "Micikevicius et al. 2018, arXiv 1710.03740"},
    RemedyInfo{"use-bf16", "Switch to BF16", "Kalamkar et al. 2019, arXiv 1905.12322"},
    RemedyInfo{"isolate", "Exclude the node", "Llama 3, arXiv 2407.21783, section 3.3.4"},
    RemedyInfo{"fix-data", "Reshuffle the data", "Hernandez et al. 2022, arXiv 2205.10487"},
    RemedyInfo{"load-all", "Load the full checkpoint", "Kingma and Ba 2015, arXiv 1412.6980"}};

void set_up(Incident& i, SplitMix& rng)
{
    const auto between = [&](double low, double high) { return low + (high - low) * rng.uniform(); };
    switch (i.fault)
    {
    case Fault::rate_too_high:
        i.setup.rate = between(2.05, 2.2);
        i.at = i.setup.warmup;
        break;
    case Fault::no_warmup:
        i.setup.warmup = 0;
        i.at = 0;
        break;
    case Fault::overflow:
        i.setup.fp16 = true;
        break;
    case Fault::fixed_scale:
        i.setup.fp16 = true;
        i.setup.adaptive_scale = false;
        break;
    case Fault::optimizer_lost:
        i.restart = i.at;
        break;
    case Fault::bad_batch:
    case Fault::bad_memory:
    case Fault::wrong_rank:
    case Fault::repeated_data:
        break;
    }
}

} // namespace

const FaultInfo& info_of(Fault fault)
{
    return kFaultTable.at(static_cast<std::size_t>(fault));
}

const RemedyInfo& info_of(Remedy remedy)
{
    return kRemedyTable.at(static_cast<std::size_t>(remedy));
}

Incident make_incident(std::uint64_t seed, std::optional<Fault> fault)
{
    SplitMix rng(seed * 7919 + 17);
    Incident i;
    i.seed = seed;
    i.fault = fault.value_or(static_cast<Fault>(static_cast<std::size_t>(rng.uniform() * kFaults) % kFaults));
    i.at = 420 + static_cast<std::int64_t>(rng.uniform() * 260);
    i.restart = 180 + static_cast<std::int64_t>(rng.uniform() * 160);
    i.rank = static_cast<std::int64_t>(rng.uniform() * static_cast<double>(i.ranks));
    set_up(i, rng);
    i.noticed = std::min<std::int64_t>(kIncidentSteps - 150, std::max<std::int64_t>(i.at, 350) + 280);
    return i;
}

std::int64_t last_good_checkpoint(const Incident& incident)
{
    return incident.at / kCheckpointEvery * kCheckpointEvery;
}

} // namespace ringside
