// Reading a config.json by its fields, whatever its model_type is: latents, indexers, experts, states,
// windows and patterns of layers under each of the names that released models give them. What fields do not
// tell, a family's row says.
#pragma once

#include "core/scenario/hugging_face/readers.h"

#include <string>

namespace ringside
{

// What a family's code does and its config.json does not say.
struct HfConventions
{
    QkNorm qk_norm = QkNorm::none;
    std::int64_t norms = 2; // in one layer
    bool gated = true;      // the MLP
    bool tied = false;      // where tie_word_embeddings is left out
    bool router_bias = false;
    bool qkv_bias = false; // attention_bias leaves the output alone
    bool gate = false;     // of attention's output
    Positions positions = Positions::rope;

    bool operator==(const HfConventions&) const = default;
};

void read_by_fields(HfConfig& c, Model& m, const HfConventions& conventions);

// What its fields tell of an architecture, "latent attention and an indexer", and the known family that has
// the same.
struct HfLikeness
{
    std::string has;
    std::string like; // a model_type
};
HfLikeness likeness_of(const nlohmann::json& text);
// Why an architecture that is not known cannot be read by its fields, with what would work; mostly nothing.
Issues refusals_of(const nlohmann::json& text, const std::string& prefix);

} // namespace ringside
