#include "core/planner/layout.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/fields.h"
#include "core/scenario/validate.h"

#include <array>

namespace ringside
{

std::span<const LayoutField> layout_fields()
{
    static const std::array kFields{
        LayoutField{"cluster.gpus", "GPUs", &Layout::gpus},
        LayoutField{"parallel.tensor", "TP", &Layout::tensor},
        LayoutField{"parallel.sequence_parallel", "SP", &Layout::sequence_parallel},
        LayoutField{"parallel.context", "CP", &Layout::context},
        LayoutField{"parallel.pipeline", "PP", &Layout::pipeline},
        LayoutField{"parallel.chunks", "chunks", &Layout::chunks},
        LayoutField{"training.schedule", "schedule", &Layout::schedule},
        LayoutField{"parallel.expert", "EP", &Layout::expert},
        LayoutField{"parallel.expert_tensor", "ETP", &Layout::expert_tensor},
        LayoutField{"parallel.zero", "ZeRO", &Layout::zero},
        LayoutField{"training.micro_batch", "MBS", &Layout::micro_batch},
        LayoutField{"training.recompute", "recompute", &Layout::recompute},
        LayoutField{"training.global_batch", "GBS", &Layout::global_batch},
        LayoutField{"training.sequence_length", "sequence", &Layout::sequence_length},
        LayoutField{"training.recompute_layers", "layers recomputed", &Layout::recompute_layers}};
    return kFields;
}

bool same_in(const Layout& a, const Layout& b, const LayoutField& field)
{
    return std::visit([&](auto member) { return a.*member == b.*member; }, field.member);
}

void take_in(Layout& to, const Layout& from, const LayoutField& field)
{
    std::visit([&](auto member) { to.*member = from.*member; }, field.member);
}

std::string text_of(const Layout& l, const LayoutField& field)
{
    return std::visit(
        [&](auto member) -> std::string
        {
            const auto& value = l.*member;
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, bool>)
            {
                return value ? "true" : "false";
            }
            else if constexpr (std::is_same_v<T, std::int64_t>)
            {
                return fmt::format("{}", value);
            }
            else
            {
                return std::string(name_of(value));
            }
        },
        field.member);
}

std::string words_of(const Layout& l)
{
    std::string words = fmt::format("TP {}, ", l.tensor);
    words += l.context > 1 ? fmt::format("CP {}, ", l.context) : "";
    words += l.expert > 1 ? fmt::format("EP {}, ", l.expert) : "";
    return words + fmt::format("PP {}, DP {}", l.pipeline, grouped(data_of(l)));
}

std::string recompute_words(const Layout& l)
{
    const bool some = l.recompute == Recompute::full && l.recompute_layers > 0;
    return some ? fmt::format("{}, {} layer{}", name_of(l.recompute), l.recompute_layers,
                              l.recompute_layers == 1 ? "" : "s")
                : std::string(name_of(l.recompute));
}

Layout layout_of(const Scenario& s)
{
    const Parallel& p = s.parallel;
    const Training& t = s.training;
    return {s.cluster.gpus, p.tensor,        p.context,      p.pipeline,        p.chunks,
            p.expert,       p.expert_tensor, p.zero,         t.micro_batch,     p.sequence_parallel,
            t.recompute,    t.schedule,      t.global_batch, t.sequence_length, t.recompute_layers};
}

std::int64_t data_of(const Layout& l)
{
    return l.gpus / (l.tensor * l.context * l.pipeline);
}

Layout plain(Layout l)
{
    l.sequence_parallel = l.sequence_parallel && l.tensor > 1;
    l.zero = data_of(l) * l.context > 1 ? l.zero : 0;
    l.expert_tensor = l.tensor > 1 ? l.expert_tensor : 1;
    l.recompute_layers = l.recompute == Recompute::full ? l.recompute_layers : 0;
    if (l.pipeline == 1)
    {
        l.schedule = schedule("1f1b");
        l.chunks = 1;
    }
    return l;
}

bool same_run(const Layout& a, const Layout& b)
{
    return plain(a) == plain(b);
}

void apply(const Layout& l, Scenario& s)
{
    s.cluster.gpus = l.gpus;
    Parallel& p = s.parallel;
    p.tensor = l.tensor;
    p.context = l.context;
    p.pipeline = l.pipeline;
    p.chunks = l.chunks;
    p.expert = l.expert;
    p.expert_tensor = l.expert_tensor;
    p.zero = l.zero;
    p.sequence_parallel = l.sequence_parallel;
    s.training.micro_batch = l.micro_batch;
    s.training.recompute = l.recompute;
    s.training.schedule = l.schedule;
    s.training.recompute_layers = l.recompute_layers;
    s.training.global_batch = l.global_batch > 0 ? l.global_batch : s.training.global_batch;
    s.training.sequence_length = l.sequence_length > 0 ? l.sequence_length : s.training.sequence_length;
    p.stage_layers.clear();
    p.shard_group = p.shard_group > 0 && dense_replicas(s) % p.shard_group != 0 ? 0 : p.shard_group;
}

std::string overlap_words(const Scenario& s)
{
    const auto word = [](bool on) { return on ? "on" : "off"; };
    const Parallel& p = s.parallel;
    return fmt::format("overlap of tensor {}, expert {}, pipeline {}", word(p.overlap_tensor),
                       word(p.overlap_expert), word(p.overlap_pipeline));
}

Issues search_faults(const Scenario& scenario)
{
    Scenario bare = without_layout(scenario);
    bare.training.global_batch = bare.cluster.gpus;
    return errors_of(validate(bare));
}

Scenario without_layout(Scenario s)
{
    Layout none;
    none.gpus = s.cluster.gpus;
    none.recompute_layers = s.training.recompute_layers;
    apply(none, s);
    return s;
}

} // namespace ringside
