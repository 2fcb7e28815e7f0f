// What `check` says of one file named by the user: told apart by its schema, held against the assets.
#pragma once

#include "core/scenario/presets.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace ringside
{

// What a file is checked against.
struct CheckedAgainst
{
    std::filesystem::path assets;
    const Presets& presets;
    std::uint64_t seeds = 25; // questions drawn of every family
};

std::set<std::string> known_views();
// Whether the shape of a model gives the parameters that were published for it; paths are the fields.
Issues compare_counts(const ModelPreset& preset);

// `text` is what `file` holds. Without a schema it is a scenario.
Issues faults_of_file(const std::string& text, const std::string& file, const CheckedAgainst& against);

} // namespace ringside
