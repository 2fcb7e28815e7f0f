#include "core/lab/team_check.h"

#include <fmt/format.h>

#include "core/scenario/validate.h"

namespace ringside
{

Issues faults_of_cut(const TeamConfig& config)
{
    Issues issues;
    for (const Issue& issue : validate(scenario_of(config)))
    {
        if (issue.path.starts_with("parallel.") || issue.path.starts_with("training."))
        {
            issues.push_back(issue);
        }
    }
    return issues;
}

Result<TeamConfig> with_compression(TeamConfig config, std::string_view words, bool feedback)
{
    const auto options = read_compression(words, feedback);
    if (!options)
    {
        return options.issues();
    }
    if (options->compressor != Compressor::none && dense_replicas(scenario_of(config)) < 2)
    {
        return Issue{"--compress",
                     fmt::format("\u201c{}\u201d has nothing to do: no two ranks sum gradients", words),
                     "use data parallelism, such as --ranks 4 --strategy ddp, or --compress none"};
    }
    config.compression = *options;
    return config;
}

} // namespace ringside
