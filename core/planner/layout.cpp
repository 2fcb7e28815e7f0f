#include "core/planner/layout.h"

#include <fmt/format.h>

#include "core/scenario/validate.h"

namespace ringside
{

Layout layout_of(const Scenario& s)
{
    const Parallel& p = s.parallel;
    const Training& t = s.training;
    return {s.cluster.gpus,  p.tensor, p.context,     p.pipeline,          p.chunks,    p.expert,
            p.expert_tensor, p.zero,   t.micro_batch, p.sequence_parallel, t.recompute, t.schedule};
}

std::int64_t data_of(const Layout& l)
{
    return l.gpus / (l.tensor * l.context * l.pipeline);
}

bool same_run(Layout a, Layout b)
{
    for (Layout* l : {&a, &b})
    {
        l->sequence_parallel = l->sequence_parallel && l->tensor > 1;
        l->zero = data_of(*l) * l->context > 1 ? l->zero : 0;
        l->expert_tensor = l->tensor > 1 ? l->expert_tensor : 1;
        if (l->pipeline == 1)
        {
            l->schedule = schedule("1f1b");
            l->chunks = 1;
        }
    }
    return a == b;
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
    p.stage_layers.clear();
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
    apply(none, s);
    return s;
}

} // namespace ringside
