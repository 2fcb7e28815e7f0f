// `ringside evaluate`: what a scenario needs, as text, JSON, Markdown or CSV.
#pragma once

#include "app/commands.h"

namespace ringside
{

struct EvaluateOptions
{
    std::string file; // scenario
    std::vector<std::string> sets;
    std::string convention = "ringside";
    bool markdown = false;
    bool csv = false;
};

int run_evaluate(const CommonOptions& common, const EvaluateOptions& options);

} // namespace ringside
