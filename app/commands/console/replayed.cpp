#include "app/commands/console/replayed.h"

#include "app/commands/console/input.h"
#include "app/files/files.h"
#include "core/evaluate/serving_figures.h"

namespace ringside
{

namespace
{

constexpr std::size_t kMostTraceBytes = std::size_t{4} << 30U;

} // namespace

Replayed replayed(const Scenario& scenario, const std::string& file, const ReplaySettings& settings)
{
    const std::string text = or_end(read_text(file, {kMostTraceBytes}), file);
    RequestTrace trace =
        or_end(read_requests(text, static_cast<std::size_t>(settings.first), settings.speed), file);
    Replayed out{std::string(trace.format), trace.requests.size(),
                 find_prefixes(trace, static_cast<std::size_t>(settings.cache_blocks)), nullptr};
    out.figures =
        std::make_shared<const ServingFigures>(serving_figures(scenario, std::move(trace.requests)));
    return out;
}

} // namespace ringside
