// The families of models whose config.json is read: one row each, and a short function where its fields
// do not tell all.
#pragma once

#include "core/scenario/hugging_face/by_fields.h"
#include "core/scenario/scenario.h"

#include <span>

namespace ringside
{

struct HfFamily
{
    std::string_view type;           // model_type
    std::string_view architecture;   // of architectures[0]
    std::string_view name;           // as people write it
    void (*read)(HfConfig&, Model&); // null: by its fields
    HfConventions conventions = {};
};

std::span<const HfFamily> hugging_face_families();

} // namespace ringside
