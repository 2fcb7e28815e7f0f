// `ringside import hf`: a model's config.json from the Hugging Face hub as a shape of ours.
#pragma once

#include "app/commands.h"

namespace ringside
{

struct ImportOptions
{
    std::string file;   // config.json, or -
    std::string output; // a ringside.model/1 file to write; empty: none
    std::string name;   // of the model; empty: what the config calls itself
};

int run_import_hf(const CommonOptions& common, const ImportOptions& options);

} // namespace ringside
