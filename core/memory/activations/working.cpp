#include "core/memory/activations/working.h"

#include <fmt/format.h>

namespace ringside
{

namespace
{

std::string source_of(const Model& model, const ActivationTensor& tensor, const Training& training)
{
    if (keeping(tensor, training, Recompute::none) == Keeping::never)
    {
        return "Dao et al. 2022, arXiv 2205.14135, section 3.1: scores stay in the chip\u2019s own memory";
    }
    if (model.attention == Attention::mla && tensor.half == LayerHalf::attention)
    {
        return "Counted as Korthikanti et al. 2022, arXiv 2205.05198, section 4.1, for the latent attention "
               "of "
               "DeepSeek-V2, arXiv 2405.04434, section 2.1";
    }
    return tensor.by_sequence ? "Korthikanti et al. 2022, arXiv 2205.05198, sections 4.1 and 4.2.2: sharded "
                                "over t with sequence "
                                "parallelism only"
                              : "Korthikanti et al. 2022, arXiv 2205.05198, sections 4.1 and 4.2.1";
}

} // namespace

Term explain_tensor(const Scenario& s, const ActivationTensor& tensor)
{
    const auto number = [](std::int64_t value) { return figure(static_cast<double>(value)); };
    Term term;
    term.label = tensor.name;
    term.unit = "B";
    term.value = tensor_bytes(tensor, s.training, s.parallel);
    term.formula = fmt::format("{} s b {}", figure(tensor.element), tensor.shape);
    term.working =
        fmt::format("{} \u00d7 {} \u00d7 {} \u00d7 {}", figure(tensor.element),
                    number(s.training.sequence_length), number(s.training.micro_batch), figure(tensor.width));
    if (tensor.scores)
    {
        term.working += " \u00d7 " + number(s.training.sequence_length);
    }
    if (s.parallel.tensor > 1 && (!tensor.by_sequence || s.parallel.sequence_parallel))
    {
        term.formula += " / t";
        term.working += " / " + number(s.parallel.tensor);
    }
    if (s.parallel.context > 1)
    {
        term.formula += " / cp";
        term.working += " / " + number(s.parallel.context);
    }
    term.source = source_of(s.model, tensor, s.training);
    return term;
}

} // namespace ringside
