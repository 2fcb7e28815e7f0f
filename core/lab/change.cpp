#include "core/lab/change.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

namespace ringside
{

namespace
{

std::string shown(bool value)
{
    return value ? "on" : "off";
}
std::string shown(std::int64_t value)
{
    return std::to_string(value);
}
std::string shown(double value)
{
    return value != 0 && (value < 0.01 || value >= 10000) ? fmt::format("{:.2g}", value)
                                                          : plain_number(value);
}

} // namespace

std::vector<KnobChange> knob_changes(const TrainerConfig& now, const TrainerConfig& next, std::int64_t step)
{
    std::vector<KnobChange> all;
    const auto note = [&](std::string knob, std::string from, std::string to)
    {
        if (from != to)
        {
            all.push_back({step, std::move(knob), std::move(from), std::move(to)});
        }
    };
    for (const Field<Recipe>& field : fields_of(now.recipe))
    {
        const std::string name(field.label);
        std::visit(
            [&](const auto& member)
            {
                if constexpr (requires { shown(now.recipe.*member); })
                {
                    note(name, shown(now.recipe.*member), shown(next.recipe.*member));
                }
            },
            field.member);
    }
    const Training& a = now.training;
    const Training& b = next.training;
    note("precision", std::string(name_of(a.precision)), std::string(name_of(b.precision)));
    note("micro-batch", shown(a.micro_batch), shown(b.micro_batch));
    note("accumulation", shown(now.accumulation()), shown(next.accumulation()));
    note("recompute", std::string(name_of(a.recompute)), std::string(name_of(b.recompute)));
    note("flash attention", shown(a.flash_attention), shown(b.flash_attention));
    note("seed", std::to_string(now.seed), std::to_string(next.seed));
    return all;
}

} // namespace ringside
