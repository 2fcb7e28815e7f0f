#include "core/runs/predicted/predicted_snapshot.h"

#include <fmt/format.h>

#include "core/memory/activations/tensors.h"
#include "core/model/weights.h"
#include "core/performance/step_life.h"
#include "core/scenario/stage_layers.h"

#include <cmath>

namespace ringside
{

namespace
{

using nlohmann::json;

constexpr std::int64_t kSegmentStart = 0x7f0000000000; // where CUDA's addresses lie
constexpr std::int64_t kBlockUnit = 512;               // [B] CUDACachingAllocator.cpp, kMinBlockSize
constexpr std::int64_t kSegmentUnit = 2LL << 20U;      // [B] kSmallBuffer
constexpr std::size_t kMostBlocks = 20'000;            // beyond it, a layer's tensors are one block

std::int64_t rounded(std::int64_t bytes, std::int64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}
std::int64_t whole_of(Bytes bytes)
{
    return std::llround(bytes.value);
}

struct PredictedBlock
{
    std::string name;      // "queries"
    std::int64_t line = 0; // of a layer: its number
    std::string_view part; // file and function of the step: "forward"
    std::int64_t bytes = 0;
    std::int64_t address = 0;
};
using PredictedBlocks = std::vector<PredictedBlock>;

// The tensor, and below it the part of the step, by which PyTorch's viewers and ours tell blocks apart.
json frames_of(const PredictedBlock& block)
{
    return json::array(
        {{{"name", block.name}, {"filename", fmt::format("{}.py", block.part)}, {"line", block.line}},
         {{"name", block.part}, {"filename", "train.py"}, {"line", 1}}});
}

// What one stage holds, block by block.
class StageBlocks
{
public:
    StageBlocks(const Scenario& s, const Report& report)
        : s_(s), memory_(report.memory.most_allocated()),
          part_(stage_parts(s.model, s.parallel, s.training.schedule->placement)
                    .at(static_cast<std::size_t>(&memory_ - report.memory.stages.data())))
    {
        find_units();
        add_state();
        add_activations();
        add_buffers();
    }

    PredictedBlocks lasting; // all step long
    PredictedBlocks kept;    // from the forward to its backward, in order
    PredictedBlocks at_peak; // at the beginning of the backward

private:
    struct UnitShare
    {
        std::int64_t unit;
        double elements;
    };

    void find_units()
    {
        const auto add = [&](std::int64_t unit, const std::vector<Weight>& weights)
        {
            double elements = 0;
            for (const Weight& weight : weights)
            {
                elements += static_cast<double>(weight.local_elements());
            }
            units_.push_back({unit, elements});
        };
        if (part_.embedding || part_.embeds_again)
        {
            add(kEmbeddingUnit, embedding_weights(s_.model, s_.parallel));
        }
        for (const LayerRange& range : part_.ranges)
        {
            for (std::int64_t i = range.first; i < range.first + range.count; ++i)
            {
                add(i, layer_weights(s_.model, s_.parallel, layer_kind(s_.model, i)));
            }
        }
        if (part_.head)
        {
            add(kHeadUnit, head_weights(s_.model, s_.parallel, s_.model.tied_embeddings && part_.embedding));
        }
    }

    // Shares of the whole by a unit's parameters, so that they add up to it.
    void add_state()
    {
        struct Held
        {
            Component component;
            std::string_view part;
        };
        static constexpr std::array kHeld{
            Held{Component::weights, "model"}, Held{Component::gradients, "backward"},
            Held{Component::master_weights, "step"}, Held{Component::momentum, "step"},
            Held{Component::variance, "step"}};
        double all = 0;
        for (const UnitShare& unit : units_)
        {
            all += unit.elements;
        }
        for (const Held& held : kHeld)
        {
            const Bytes bytes = memory_.of(held.component);
            double before = 0;
            for (const UnitShare& unit : units_)
            {
                const double after = before + unit.elements;
                add(lasting,
                    {fmt::format("{}, {}", name_of(held.component), units_in_words(unit.unit, unit.unit)),
                     std::max<std::int64_t>(0, unit.unit), held.part,
                     std::llround(bytes.value * after / all) - std::llround(bytes.value * before / all)});
                before = after;
            }
        }
    }

    void add_activations()
    {
        std::int64_t left = whole_of(memory_.of(Component::activations));
        const std::int64_t logits = whole_of(memory_.logits_bytes);
        PredictedBlocks tensors;
        for (std::size_t chunk = 0; chunk < part_.ranges.size(); ++chunk)
        {
            const std::int64_t times = chunk < memory_.kept.size() ? memory_.kept[chunk] : 0;
            const LayerRange& range = part_.ranges[chunk];
            for (std::int64_t m = 0; m < times; ++m)
            {
                for (std::int64_t i = 0; i < range.count; ++i)
                {
                    add_layer(range, i, tensors);
                }
            }
        }
        std::int64_t sum = 0;
        for (const PredictedBlock& block : tensors)
        {
            sum += block.bytes;
        }
        left -= logits;
        if (sum > left && sum > 0)
        {
            const double share =
                static_cast<double>(std::max<std::int64_t>(0, left)) / static_cast<double>(sum);
            sum = 0;
            for (PredictedBlock& block : tensors)
            {
                block.bytes = static_cast<std::int64_t>(std::floor(static_cast<double>(block.bytes) * share));
                sum += block.bytes;
            }
        }
        add(kept, {"inputs of the layers", 0, "forward", left - sum});
        kept.insert(kept.end(), tensors.begin(), tensors.end());
        add(kept, {"logits", 0, "forward", logits});
    }

    void add_layer(const LayerRange& range, std::int64_t i, PredictedBlocks& blocks) const
    {
        const std::int64_t layer = range.first + i;
        const Recompute recompute =
            i < recomputed_of(s_.training, range.count) ? s_.training.recompute : Recompute::none;
        const bool one = static_cast<std::size_t>(memory_.in_flight) * units_.size() * 20 > kMostBlocks;
        double all = 0;
        for (const ActivationTensor& tensor :
             activation_tensors(s_.model, s_.training, s_.parallel, layer_kind(s_.model, layer).experts))
        {
            if (keeping(tensor, s_.training, recompute) != Keeping::kept)
            {
                continue;
            }
            const double bytes = tensor_bytes(tensor, s_.training, s_.parallel);
            all += bytes;
            if (!one)
            {
                add(blocks, {std::string(tensor.name), layer, "forward",
                             static_cast<std::int64_t>(std::floor(bytes))});
            }
        }
        if (one)
        {
            add(blocks, {"activations", layer, "forward", static_cast<std::int64_t>(std::floor(all))});
        }
    }

    void add_buffers()
    {
        const BufferParts& b = memory_.buffers;
        struct Buffer
        {
            std::string_view name;
            Bytes bytes;
        };
        for (const Buffer& buffer :
             {Buffer{"second gradients", b.second_gradients}, Buffer{"whole gradients", b.whole_gradients},
              Buffer{"workspace of products", b.workspace}, Buffer{"pools of CUDA graphs", b.graph_pools}})
        {
            add(lasting, {std::string(buffer.name), 0, "model", whole_of(buffer.bytes)});
        }
        for (const Buffer& buffer :
             {Buffer{"gradient workspace", b.gradient_workspace}, Buffer{"working set", b.working_set},
              Buffer{"recomputed layer", b.recomputed}, Buffer{"gathered weights", b.gathered},
              Buffer{"transfer between stages", b.transfer}, Buffer{"copies of the loss", b.loss_copies},
              Buffer{"deferred weight gradients", b.deferred}})
        {
            add(at_peak, {std::string(buffer.name), 0, "backward", whole_of(buffer.bytes)});
        }
    }

    static void add(PredictedBlocks& blocks, PredictedBlock block)
    {
        if (block.bytes > 0)
        {
            blocks.push_back(std::move(block));
        }
    }

    const Scenario& s_;
    const StageMemory& memory_;
    StagePart part_;
    std::vector<UnitShare> units_;
};

// Gives blocks addresses one after another and tells what happens to them.
class SnapshotMaker
{
public:
    void place(PredictedBlocks& blocks)
    {
        for (PredictedBlock& block : blocks)
        {
            block.address = end_;
            end_ += rounded(block.bytes, kBlockUnit);
        }
    }
    void happens(std::string_view action, const PredictedBlock& block)
    {
        events_.push_back({{"action", action},
                           {"addr", block.address},
                           {"size", block.bytes},
                           {"stream", 0},
                           {"time_us", std::ssize(events_)},
                           {"frames", frames_of(block)}});
    }
    void frees(const PredictedBlocks& blocks)
    {
        for (std::size_t i = blocks.size(); i-- > 0;)
        {
            happens("free_requested", blocks[i]);
            happens("free_completed", blocks[i]);
        }
    }
    void allocates(const PredictedBlocks& blocks)
    {
        for (const PredictedBlock& block : blocks)
        {
            happens("alloc", block);
        }
    }

    json take(const PredictedBlocks& lasting, std::int64_t holes)
    {
        json blocks = json::array();
        std::int64_t requested = 0;
        std::int64_t used = 0;
        for (const PredictedBlock& block : lasting)
        {
            const std::int64_t size = rounded(block.bytes, kBlockUnit);
            blocks.push_back({{"address", block.address},
                              {"size", size},
                              {"requested_size", block.bytes},
                              {"state", "active_allocated"},
                              {"frames", frames_of(block)}});
            requested += block.bytes;
            used += size;
        }
        const std::int64_t total = rounded(end_ - kSegmentStart + holes, kSegmentUnit);
        if (total > used)
        {
            blocks.push_back({{"address", kSegmentStart + used},
                              {"size", total - used},
                              {"requested_size", 0},
                              {"state", "inactive"},
                              {"frames", json::array()}});
        }
        const json segment{{"device", 0},
                           {"address", kSegmentStart},
                           {"total_size", total},
                           {"allocated_size", used},
                           {"active_size", used},
                           {"requested_size", requested},
                           {"stream", 0},
                           {"segment_type", "large"},
                           {"segment_pool_id", {0, 0}},
                           {"is_expandable", true},
                           {"frames", json::array()},
                           {"blocks", std::move(blocks)}};
        return {{"segments", json::array({segment})},
                {"device_traces", json::array({std::move(events_)})},
                {"allocator_settings", json::object()},
                {"external_annotations", json::array()}};
    }

private:
    std::int64_t end_ = kSegmentStart;
    json events_ = json::array();
};

} // namespace

json predicted_snapshot(const Scenario& scenario, const Report& report)
{
    StageBlocks blocks(scenario, report);
    SnapshotMaker maker;
    maker.place(blocks.lasting);
    maker.place(blocks.kept);
    maker.place(blocks.at_peak);
    maker.allocates(blocks.kept);
    maker.allocates(blocks.at_peak);
    maker.frees(blocks.at_peak);
    maker.frees(blocks.kept);
    return maker.take(blocks.lasting, whole_of(report.memory.most_allocated().buffers.fragmentation));
}

} // namespace ringside
