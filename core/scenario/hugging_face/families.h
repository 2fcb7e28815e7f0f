// The families of models whose config.json is read: one row and one short function each.
#pragma once

#include "core/scenario/hugging_face/config.h"
#include "core/scenario/scenario.h"

#include <span>

namespace ringside
{

struct HfFamily
{
    std::string_view type;         // model_type
    std::string_view architecture; // of architectures[0]
    std::string_view name;         // as people write it
    void (*read)(HfConfig&, Model&);
};

std::span<const HfFamily> hugging_face_families();

} // namespace ringside
