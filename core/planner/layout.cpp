#include "core/planner/layout.h"

namespace ringside
{

Layout layout_of(const Scenario& s)
{
    const Parallel& p = s.parallel;
    const Training& t = s.training;
    return {s.cluster.gpus,  p.tensor, p.context,     p.pipeline,          p.chunks,    p.expert,
            p.expert_tensor, p.zero,   t.micro_batch, p.sequence_parallel, t.recompute, t.schedule};
}

std::vector<std::int64_t> even_cut(std::int64_t layers, std::int64_t stages)
{
    if (layers < stages || layers % stages == 0)
    {
        return {};
    }
    std::vector<std::int64_t> all(static_cast<std::size_t>(stages), layers / stages);
    for (std::int64_t i = 0; i < layers % stages; ++i)
    {
        ++all[static_cast<std::size_t>((i + 1) % stages)];
    }
    return all;
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
    p.stage_layers = even_cut(s.model.layers, virtual_stages(l.schedule, pipeline_shape(s)));
}

Scenario without_layout(Scenario s)
{
    Layout none;
    none.gpus = s.cluster.gpus;
    apply(none, s);
    return s;
}

} // namespace ringside
