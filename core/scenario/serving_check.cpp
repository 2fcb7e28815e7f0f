#include "core/scenario/serving_check.h"

#include <fmt/format.h>

#include "core/scenario/serving.h"

namespace ringside
{

namespace
{

void check_serving_layout(const Model& m, const ServingLayout& l, const std::string& path, Issues& issues)
{
    const auto error = [&](const char* field, std::string message, std::string hint) {
        issues.push_back({path + field, std::move(message), std::move(hint), Severity::error});
    };
    if (m.heads % l.tensor != 0 || !kv_heads_split(m, l.tensor) || (m.experts == 0 && m.ffn % l.tensor != 0))
    {
        std::int64_t works = l.tensor;
        while (m.heads % works != 0 || !kv_heads_split(m, works) || (m.experts == 0 && m.ffn % works != 0))
        {
            --works;
        }
        error("tensor", fmt::format("{} does not divide the model's heads and widths", l.tensor),
              fmt::format("{} does", works));
    }
    if (l.pipeline > m.layers)
    {
        error("pipeline", fmt::format("{} stages of {} layers", l.pipeline, m.layers),
              fmt::format("use at most {}", m.layers));
    }
    if (m.experts == 0 && l.expert > 1)
    {
        error("expert", fmt::format("{} ranks for a model without experts", l.expert), "use 1");
    }
    else if (m.experts > 0 && (l.expert > l.tensor * l.data || (l.tensor * l.data) % l.expert != 0))
    {
        error("expert",
              fmt::format("{} does not divide the {} GPUs of tensor x data", l.expert, l.tensor * l.data),
              fmt::format("use {}", l.tensor * l.data));
    }
}

} // namespace

Issues serving_issues(const Scenario& scenario)
{
    Issues issues;
    if (scenario.serving == nullptr)
    {
        return issues;
    }
    const Serving& s = *scenario.serving;
    check_serving_layout(scenario.model, s.layout, "serving.", issues);
    std::int64_t gpus = s.layout.gpus() * s.layout.replicas;
    if (s.disaggregated)
    {
        check_serving_layout(scenario.model, s.prefill, "serving.prefill.", issues);
        gpus += s.prefill.gpus() * s.prefill.replicas;
    }
    if (gpus > scenario.cluster.gpus)
    {
        issues.push_back(
            {"serving.replicas",
             fmt::format("replicas x tensor x pipeline x data{} are {} GPUs, the cluster has {}",
                         s.disaggregated ? ", with those that prefill," : "", gpus, scenario.cluster.gpus),
             fmt::format("use fewer, or cluster.gpus={}", gpus), Severity::error});
    }
    return issues;
}

} // namespace ringside
