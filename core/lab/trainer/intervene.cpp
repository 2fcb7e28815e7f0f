#include "core/lab/trainer/intervene.h"

#include "core/model/sizes.h"

#include <algorithm>

namespace ringside::trainer
{

namespace
{

Issues forget_optimizer(Trainer& trainer)
{
    TrainerState state = trainer.state();
    state.updates = 0;
    for (const char* name : {"momentum", "variance"})
    {
        if (TrainerState::Part* part = state.part(name))
        {
            std::ranges::fill(part->bytes, '\0');
        }
    }
    return trainer.restore(state);
}

Issues damage_weight(Trainer& trainer, std::int64_t layer)
{
    TrainerState state = trainer.state();
    TrainerState::Part* weights = state.part("weights");
    const ParameterTable& table = trainer.parameters();
    if (weights == nullptr || layer < 0 || layer >= std::ssize(table.layers))
    {
        return {{"layer", "is not there", "use one of the model's layers"}};
    }
    const LayerPlaces& places = table.layers[static_cast<std::size_t>(layer)];
    const Parameter& matrix =
        table.list[static_cast<std::size_t>(places.up < 0 ? places.expert_up : places.up)];
    const auto width = static_cast<Index>(element_bytes(trainer.config().training));
    // The sign is the highest bit of a float's last byte, the exponent's highest the one below it.
    const auto at = static_cast<std::size_t>((matrix.offset + matrix.elements() / 2) * width + width - 1);
    weights->bytes.at(at) = static_cast<char>(weights->bytes.at(at) ^ 0x40);
    return trainer.restore(state);
}

} // namespace

Issues intervene(Trainer& trainer, const Intervention& intervention)
{
    switch (intervention.kind)
    {
    case Intervention::Kind::turn_knobs:
        return trainer.change(intervention.config);
    case Intervention::Kind::forget_optimizer:
        return forget_optimizer(trainer);
    case Intervention::Kind::damage_weight:
        return damage_weight(trainer, intervention.layer);
    }
    return {};
}

} // namespace ringside::trainer
