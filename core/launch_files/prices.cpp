#include "core/launch_files/prices.h"

#include "core/launch_files/settings.h"
#include "core/memory/memory.h"
#include "core/model/sizes.h"
#include "core/model/weights.h"
#include "core/planner/launch/rules.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

double real(std::int64_t count)
{
    return static_cast<double>(count);
}

// Layers of the first stage times micro-batches in flight on it.
double layers_in_flight(const Scenario& s)
{
    const std::int64_t stages = std::max<std::int64_t>(1, s.parallel.pipeline);
    return std::ceil(real(s.model.layers) / real(stages)) * real(std::min(stages, micro_batches(s)));
}

std::optional<double> count_named(std::string_view name, const Scenario& s)
{
    if (name == "tokens")
    {
        return micro_batch_tokens(s);
    }
    if (name == "inputs")
    {
        return layers_in_flight(s);
    }
    if (name == "stored")
    {
        return s.training.recompute == Recompute::full ? 1 : layers_in_flight(s);
    }
    if (name == "layer_weights")
    {
        return real(count_parameters(s.model).layers) / real(std::max<std::int64_t>(1, s.model.layers));
    }
    return {};
}

// Bytes that the engine counts on the first stage's GPU; nothing where the scenario cannot be counted.
std::optional<double> bytes_named(std::string_view name, const Scenario& s)
{
    constexpr std::string_view kBytes = "bytes.";
    if (!name.starts_with(kBytes) || has_errors(validate(s)))
    {
        return {};
    }
    const MemoryReport report = memory_report(s);
    const StageMemory& first = report.stages.front();
    name.remove_prefix(kBytes.size());
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    if (name == "layer")
    {
        return first.layer_bytes.value;
    }
    const auto part = kNamesOf<Component>.find(words);
    return part ? std::optional(first.parts[static_cast<std::size_t>(*part)].value) : std::nullopt;
}

} // namespace

std::optional<double> price_of(std::string_view formula, const nlohmann::json& value,
                               const Scenario& scenario)
{
    const auto price = evaluate_formula(formula,
                                        [&](std::string_view name) -> std::optional<FormulaValue>
                                        {
                                            if (name == "value")
                                            {
                                                return FormulaValue::of(plain_text(value));
                                            }
                                            auto count = count_named(name, scenario);
                                            count = count ? count : bytes_named(name, scenario);
                                            return count ? std::optional(FormulaValue::of(*count))
                                                         : field_of(scenario, name);
                                        });
    return price && price->is_number && std::isfinite(price->number) ? std::optional(price->number)
                                                                     : std::nullopt;
}

} // namespace ringside
