// `ringside export`: the launch of a scenario with a training framework, as text, as files, or as JSON.
#pragma once

#include "app/commands.h"

namespace ringside
{

struct ExportOptions
{
    std::string file; // scenario
    std::string tool; // "megatron"
    std::vector<std::string> sets;
    std::string folder; // to write the files into; empty: print them
};

int run_export(const CommonOptions& common, const ExportOptions& options);

} // namespace ringside
