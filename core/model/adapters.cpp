#include "core/model/adapters.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

using NamedModule = std::pair<std::string_view, LoraModule>;

// The module of a matrix by the beginning of its name; what neither table has is a key.
constexpr std::array kOfAttention{
    NamedModule{"query", LoraModule::query},           NamedModule{"indexer query", LoraModule::query},
    NamedModule{"value", LoraModule::value},           NamedModule{"key/value up", LoraModule::value},
    NamedModule{"output", LoraModule::output},         NamedModule{"attention output", LoraModule::output},
    NamedModule{"attention gate", LoraModule::output}, NamedModule{"gate", LoraModule::output}};
constexpr std::array kOfMlp{NamedModule{"MLP up", LoraModule::up}, NamedModule{"expert up", LoraModule::up},
                            NamedModule{"latent down", LoraModule::up}, NamedModule{"", LoraModule::down}};

LoraModule module_of(std::span<const NamedModule> table, std::string_view weight)
{
    const auto found =
        std::ranges::find_if(table, [&](const NamedModule& row) { return weight.starts_with(row.first); });
    return found == table.end() ? LoraModule::key : found->second;
}

} // namespace

std::vector<LoraPiece> lora_pieces(const Weight& w)
{
    if (!w.matrix() || w.name == "router" || w.name == "stream mixing")
    {
        return {};
    }
    if (w.name == "query, key, value")
    {
        return {{LoraModule::query, w.local_rows, w.queries},
                {LoraModule::key, w.local_rows, w.keys},
                {LoraModule::value, w.local_rows, w.local_cols - w.queries - w.keys}};
    }
    if (w.name.ends_with("gate and up"))
    {
        return {{LoraModule::gate, w.local_rows, w.local_cols / 2},
                {LoraModule::up, w.local_rows, w.local_cols / 2}};
    }
    const LoraModule module = w.mlp ? module_of(kOfMlp, w.name) : module_of(kOfAttention, w.name);
    return {{module, w.local_rows, w.local_cols}};
}

std::vector<LoraPiece> adapted_pieces(const Weight& w, const Lora& lora)
{
    std::vector<LoraPiece> pieces = lora.rank > 0 ? lora_pieces(w) : std::vector<LoraPiece>();
    std::erase_if(pieces, [&](const LoraPiece& piece)
                  { return !lora.targets.at(static_cast<std::size_t>(piece.module)); });
    return pieces;
}

double trained_share(const Model& m, const Lora& lora)
{
    if (lora.rank == 0)
    {
        return 1;
    }
    const Parallel one;
    double adapters = 0;
    for (const LayersOfKind& alike : layers_by_kind(m, all_layers(m)))
    {
        for (const Weight& w : layer_weights(m, one, alike.kind))
        {
            for (const LoraPiece& piece : adapted_pieces(w, lora))
            {
                adapters += static_cast<double>(piece.adapter(lora.rank) * w.copies * alike.layers);
            }
        }
    }
    return adapters / static_cast<double>(count_parameters(m).total);
}

} // namespace ringside
