#include "core/runs/predicted/predicted_snapshot.h"

#include <fmt/format.h>

#include "core/memory/activations/tensors.h"
#include "core/model/weights.h"
#include "core/performance/step_life.h"
#include "core/runs/predicted/snapshot_writer.h"
#include "core/scenario/stage_layers.h"

#include <cmath>

namespace ringside
{

namespace
{

using nlohmann::json;

constexpr std::int64_t kSegmentUnit = 2LL << 20U; // [B] kSmallBuffer
constexpr std::size_t kMostBlocks = 20'000;       // beyond it, a layer's tensors are one block

std::int64_t whole_of(Bytes bytes)
{
    return std::llround(bytes.value);
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

    SnapshotBlocks lasting; // all step long
    SnapshotBlocks kept;    // from the forward to its backward, in order
    SnapshotBlocks at_peak; // at the beginning of the backward

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
        SnapshotBlocks tensors;
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
        for (const SnapshotBlock& block : tensors)
        {
            sum += block.bytes;
        }
        left -= logits;
        if (sum > left && sum > 0)
        {
            const double share =
                static_cast<double>(std::max<std::int64_t>(0, left)) / static_cast<double>(sum);
            sum = 0;
            for (SnapshotBlock& block : tensors)
            {
                block.bytes = static_cast<std::int64_t>(std::floor(static_cast<double>(block.bytes) * share));
                sum += block.bytes;
            }
        }
        add(kept, {"inputs of the layers", 0, "forward", left - sum});
        kept.insert(kept.end(), tensors.begin(), tensors.end());
        add(kept, {"logits", 0, "forward", logits});
    }

    void add_layer(const LayerRange& range, std::int64_t i, SnapshotBlocks& blocks) const
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

    static void add(SnapshotBlocks& blocks, SnapshotBlock block)
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

// Gives blocks addresses one after another.
std::int64_t place(SnapshotBlocks& blocks, std::int64_t address)
{
    for (SnapshotBlock& block : blocks)
    {
        block.address = address;
        address += rounded_up(block.bytes, kBlockUnit);
    }
    return address;
}

} // namespace

json predicted_snapshot(const Scenario& scenario, const Report& report)
{
    StageBlocks blocks(scenario, report);
    std::int64_t end = kSegmentStart;
    for (SnapshotBlocks* each : {&blocks.lasting, &blocks.kept, &blocks.at_peak})
    {
        end = place(*each, end);
    }
    SnapshotWriter writer;
    SnapshotBlocks all = std::move(blocks.kept);
    all.insert(all.end(), blocks.at_peak.begin(), blocks.at_peak.end());
    for (const SnapshotBlock& block : all)
    {
        writer.allocates(block);
    }
    for (std::size_t i = all.size(); i-- > 0;)
    {
        writer.frees(all[i]);
    }
    const std::int64_t holes = whole_of(report.memory.most_allocated().buffers.fragmentation);
    writer.add_segment(kSegmentStart, rounded_up(end - kSegmentStart + holes, kSegmentUnit), blocks.lasting,
                       kBlockUnit);
    return writer.take();
}

} // namespace ringside
