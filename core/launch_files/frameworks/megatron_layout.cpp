// The layout among Megatron-LM's arguments: chunks in two currencies, stages in a language of their own.
#include <fmt/format.h>

#include "core/launch_files/frameworks/megatron.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::size_t kMostLayout = 20'000;

// Groups and counts written out: "(tt|)*2t" -> "tt|tt|t". Empty where it is too long or no such text.
std::string written_out(std::string_view layout, int depth = 0)
{
    std::string text;
    for (std::size_t i = 0; i < layout.size() && depth < 10;)
    {
        std::string part(1, layout[i]);
        if (layout[i] == '(')
        {
            std::size_t close = i;
            for (int open = 0; close < layout.size(); ++close)
            {
                open += layout[close] == '(' ? 1 : layout[close] == ')' ? -1 : 0;
                if (open == 0)
                {
                    break;
                }
            }
            part = written_out(layout.substr(i + 1, close - i - 1), depth + 1);
            i = close;
        }
        ++i;
        std::int64_t times = 1;
        if (i < layout.size() && layout[i] == '*')
        {
            const std::size_t end = std::min(layout.find_first_not_of("0123456789", i + 1), layout.size());
            times = whole_number(std::string(layout.substr(i + 1, end - i - 1))).value_or(0);
            i = end;
        }
        for (std::int64_t n = 0; n < times && !part.empty() && text.size() + part.size() < kMostLayout; ++n)
        {
            text += part;
        }
    }
    return text;
}

void state_stages(LaunchReader& r, const std::vector<std::int64_t>& stages, const Setting& by)
{
    if (std::ranges::adjacent_find(stages, std::not_equal_to{}) != stages.end())
    {
        r.state("parallel.stage_layers", stages, by);
    }
}

// Layers and what stands in for one: the embedding on the first stage, the loss on the last.
struct StageUnits
{
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t all = 0;
};

void account_stages(LaunchReader& r, const StageUnits& units, std::int64_t virtual_stages)
{
    const Setting* by =
        r.find_any({"--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split"});
    if (by == nullptr || virtual_stages < 2 || virtual_stages > 10'000 || units.all % virtual_stages != 0)
    {
        return;
    }
    std::vector<std::int64_t> stages(static_cast<std::size_t>(virtual_stages), units.all / virtual_stages);
    stages.front() -= units.first;
    stages.back() -= units.last;
    state_stages(r, stages, *by);
}

// --decoder-first-pipeline-num-layers and -last-: the rest is dealt evenly over the stages between.
void uneven_ends(LaunchReader& r, std::int64_t layers, std::int64_t pipeline, std::int64_t chunks)
{
    const auto first = r.count("--decoder-first-pipeline-num-layers", 0);
    const auto last = r.count("--decoder-last-pipeline-num-layers", 0);
    const Setting* by =
        r.find_any({"--decoder-first-pipeline-num-layers", "--decoder-last-pipeline-num-layers"});
    const std::int64_t between = pipeline - (first ? 1 : 0) - (last ? 1 : 0);
    if (by == nullptr || between < 1 || pipeline > 10'000 || chunks > 100)
    {
        return;
    }
    const std::int64_t each = (layers - first.value_or(0) - last.value_or(0)) / between;
    std::vector<std::int64_t> stages;
    for (std::int64_t k = 0; k < pipeline * chunks; ++k)
    {
        const std::int64_t rank = k % pipeline;
        const std::int64_t of_rank = rank == 0 && first             ? *first
                                     : rank == pipeline - 1 && last ? *last
                                                                    : each;
        stages.push_back(of_rank / chunks);
    }
    state_stages(r, stages, *by);
}

// arguments.py: the count of layers has one more for the embedding and one for the loss where they count.
void megatron_chunks(LaunchReader& r, std::int64_t layers, std::int64_t pipeline)
{
    StageUnits units{.first = r.find("--account-for-embedding-in-pipeline-split") != nullptr ? 1 : 0,
                     .last = r.find("--account-for-loss-in-pipeline-split") != nullptr ? 1 : 0};
    units.all = layers + units.first + units.last;
    std::int64_t chunks = 1;
    const Setting* counted = r.find("--num-virtual-stages-per-pipeline-rank");
    const Setting* in_layers = r.find("--num-layers-per-virtual-pipeline-stage");
    if (counted != nullptr)
    {
        chunks = r.count("--num-virtual-stages-per-pipeline-rank", 1).value_or(1);
    }
    else if (in_layers != nullptr)
    {
        const std::int64_t each = r.count("--num-layers-per-virtual-pipeline-stage", 1).value_or(1);
        chunks = std::max<std::int64_t>(1, units.all / std::max<std::int64_t>(1, pipeline) / each);
        if (units.all % (std::max<std::int64_t>(1, pipeline) * each) != 0)
        {
            r.refuse(
                fmt::format("{} layers do not divide by {} stages into chunks of {}: Megatron-LM refuses",
                            units.all, pipeline, each));
        }
    }
    if (pipeline > 1 && chunks > 1)
    {
        r.state("parallel.chunks", chunks, counted != nullptr ? *counted : *in_layers);
    }
    account_stages(r, units, pipeline * chunks);
    uneven_ends(r, layers, pipeline, chunks);
    const bool hybrid = r.find_any({"--hybrid-layer-pattern", "--hybrid-override-pattern"}) != nullptr;
    if (units.all % std::max<std::int64_t>(1, pipeline) != 0 && !r.has("parallel.stage_layers") && !hybrid)
    {
        r.refuse(
            fmt::format("{} layers do not divide by {} stages: Megatron-LM refuses", units.all, pipeline));
    }
}

void megatron_stages(LaunchReader& r)
{
    const std::int64_t layers = r.said("model.layers", 12);
    r.follow("parallel.pipeline", 1, "default of --pipeline-model-parallel-size in Megatron-LM");
    const std::int64_t pipeline = std::max<std::int64_t>(1, r.said("parallel.pipeline", 1));
    const Setting* layout = r.find("--pipeline-model-parallel-layout");
    const std::vector<std::int64_t> stages =
        layout == nullptr ? std::vector<std::int64_t>() : layers_of_layout(plain_text(layout->value));
    if (layout != nullptr && !stages.empty())
    {
        const auto count = static_cast<std::int64_t>(stages.size());
        if (pipeline > 1 && count > pipeline && count % pipeline == 0)
        {
            r.state("parallel.chunks", count / pipeline, *layout);
        }
        state_stages(r, stages, *layout);
    }
    else
    {
        megatron_chunks(r, layers, pipeline);
    }
    const bool interleaved = r.said("parallel.chunks", 1) > 1;
    r.follow("parallel.chunks", 1, "one chunk a stage");
    r.follow("training.schedule", interleaved ? "interleaved" : "1f1b",
             interleaved ? "stages have several chunks" : "one chunk a stage");
    const Setting* apart = r.find("--no-overlap-p2p-communication");
    if (apart != nullptr)
    {
        r.state("parallel.overlap_pipeline", false, *apart);
    }
    r.follow("parallel.overlap_pipeline", interleaved,
             interleaved ? "stages overlap their traffic where they have several chunks"
                         : "one chunk a stage");
}

// The distributed optimizer is ZeRO-1; FSDP shards what --data-parallel-sharding-strategy says, all by
// default.
void megatron_sharding(LaunchReader& r)
{
    const Setting* fsdp = r.find_any({"--use-megatron-fsdp", "--use-custom-fsdp"});
    const Setting* torch = r.find("--use-torch-fsdp2");
    const std::string strategy = r.word("--data-parallel-sharding-strategy");
    if (fsdp != nullptr)
    {
        r.state("parallel.zero",
                strategy == "no_shard"      ? 0
                : strategy == "optim"       ? 1
                : strategy == "optim_grads" ? 2
                                            : 3,
                *fsdp);
    }
    else if (torch != nullptr)
    {
        r.state("parallel.zero", 3, *torch);
    }
    else if (const Setting* sharded = r.find("--use-distributed-optimizer"))
    {
        r.state("parallel.zero", 1, *sharded);
    }
    else if (const Setting* muon = r.find("--optimizer");
             muon != nullptr && plain_text(muon->value) == "dist_muon")
    {
        r.state("parallel.zero", 1, *muon);
    }
    else
    {
        r.forget("parallel.zero");
    }
    // arguments.py, validate_args: Muon's distributed optimizer is layer-wise, under either spelling.
    if (const Setting* muon = r.find("--optimizer");
        muon != nullptr && plain_text(muon->value).find("muon") != std::string::npos &&
        r.said("parallel.zero", 0) > 0)
    {
        r.state("parallel.whole_shards", true, *muon);
    }
    if (const Setting* stage = r.find_any({"--zero-stage", "zero_optimization.stage"}))
    {
        r.state("parallel.zero", stage->value, *stage); // Megatron-DeepSpeed
    }
    r.follow("parallel.zero", 0, "no --use-distributed-optimizer");
    const Setting* copies = r.find("--num-distributed-optimizer-instances");
    const std::int64_t count = r.count("--num-distributed-optimizer-instances", 1).value_or(1);
    if (copies != nullptr && count > 1 && r.has("cluster.gpus"))
    {
        const std::int64_t cut = r.said("parallel.tensor", 1) * r.said("parallel.pipeline", 1);
        const std::int64_t replicas = r.said("cluster.gpus", 1) / std::max<std::int64_t>(1, cut);
        r.state("parallel.shard_group", std::max<std::int64_t>(1, replicas / count), *copies);
    }
    else if (copies != nullptr && count > 1)
    {
        r.unsayable(*copies,
                    "copies of the optimizer, each sharded over fewer replicas: give --gpus to say how many");
    }
}

} // namespace

std::vector<std::int64_t> layers_of_layout(std::string_view layout)
{
    std::string bare(layout);
    std::erase_if(bare, [](char c) { return c == '\'' || c == '"' || c == ' ' || c == ','; });
    if (bare.find_first_not_of("EtmLd|()*0123456789") != std::string::npos)
    {
        return {};
    }
    std::vector<std::int64_t> stages(1, 0);
    for (const char c : written_out(bare))
    {
        if (c == '|')
        {
            stages.push_back(0);
        }
        stages.back() += c == 't' || c == 'd' ? 1 : 0;
    }
    return stages;
}

void read_megatron_layout(LaunchReader& r)
{
    r.follow("parallel.tensor", 1, "default of --tensor-model-parallel-size in Megatron-LM");
    r.follow("parallel.context", 1, "default of --context-parallel-size in Megatron-LM");
    if (r.said("parallel.tensor", 1) == 1)
    {
        const Setting* sequence = r.find("--sequence-parallel");
        r.forget("parallel.sequence_parallel");
        r.follow("parallel.sequence_parallel", false,
                 sequence != nullptr ? "--sequence-parallel does nothing without tensor parallelism"
                                     : "TP is 1");
    }
    r.follow("parallel.sequence_parallel", false, "no --sequence-parallel");
    const bool experts = r.said("model.experts", 0) > 0;
    if (!experts)
    {
        r.forget("parallel.expert");
        r.forget("parallel.expert_tensor");
    }
    r.follow("parallel.expert", 1, "default of --expert-model-parallel-size in Megatron-LM");
    if (experts)
    {
        r.follow("parallel.expert_tensor", r.said("parallel.tensor", 1), "as --tensor-model-parallel-size");
    }
    megatron_stages(r);
    megatron_sharding(r);
}

} // namespace ringside
