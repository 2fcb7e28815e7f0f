#include "core/search/layout.h"

namespace ringside
{

Layout layout_of(const Scenario& s)
{
    const Parallel& p = s.parallel;
    const Training& t = s.training;
    return {s.cluster.gpus,  p.tensor, p.context,     p.pipeline,          p.chunks,    p.expert,
            p.expert_tensor, p.zero,   t.micro_batch, p.sequence_parallel, t.recompute, t.schedule};
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
    p.stage_layers.clear();
    s.training.micro_batch = l.micro_batch;
    s.training.recompute = l.recompute;
    s.training.schedule = l.schedule;
}

Scenario without_layout(Scenario s)
{
    Layout none;
    none.gpus = s.cluster.gpus;
    apply(none, s);
    return s;
}

} // namespace ringside
