// Expert parallelism: what a router does with tokens, their way over nodes, experts on several GPUs, and
// communication behind compute.
#include "ui/views/parallelism/experts/pages.h"

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 4> kExpertPages{"experts/load", "experts/nodes", "experts/replicas",
                                                       "experts/overlap"};

constexpr std::array kOpenings{Opening{"experts/load", "DeepSeek-V3", deepseek_for_experts},
                               Opening{"experts/nodes", "DeepSeek-V3", deepseek_for_experts},
                               Opening{"experts/replicas", "DeepSeek-V3", deepseek_for_experts},
                               Opening{"experts/overlap", "DeepSeek-V3", deepseek_for_experts}};

class ExpertsView final : public PagedView<ExpertsState>
{
public:
    ExpertsView() : PagedView(kExpertPages, {&kExpertLoad, &kExpertNodes, &kExpertReplicas, &kExpertOverlap})
    {
    }

    ViewKeys keys() override
    {
        return {{"1 2 3", "No balancing, auxiliary loss, bias (auxiliary-loss-free)",
                 [this](const KeyPress& k) { state_.choice.balance = static_cast<Balance>(k.which); }},
                turn_key("Load, nodes, replicas, overlap"),
                {"R", "Another token on its way over the nodes", [this] { ++state_.token; }},
                {"8 D", "Open Mixtral 8x7B, DeepSeek-V3",
                 [](const KeyPress& k)
                 { k.out.push(LoadScenario{k.which == 0 ? "mixtral-8x7b-64" : "deepseek-v3-2048"}); }},
                {"drag", "The capacity line; in the chart: move through the steps"},
                {"hover", "What an expert gets, a GPU holds, a pair of GPUs exchanges"}};
    }
};

} // namespace

extern const ViewInfo experts_view{
    30,
    "experts",
    ViewGroup::parallelism,
    "Expert",
    "Expert parallelism (EP, MoE)",
    "Tokens routed to experts on many GPUs: load, capacity, drops, dispatch and combine over nodes, replicas "
    "of busy experts, overlap of two batches",
    {"model", "expert", "gpus"},
    make_view<ExpertsView>,
    kExpertPages,
    ViewRole::other,
    kOpenings};

} // namespace ringside
