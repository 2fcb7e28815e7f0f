#include "app/commands/train/train_lines.h"

#include <fmt/format.h>

#include "app/files/streams.h"
#include "core/base/json/json.h"
#include "core/base/text/text.h"

#include <cmath>

namespace ringside
{

namespace
{

using nlohmann::json;

json memory_json(const MemoryUse& use)
{
    json out;
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        out[std::string(key_of(static_cast<Component>(i)))] = use.parts[i];
    }
    out["total_bytes"] = use.total();
    return out;
}

json rank_json(const StepLine::Rank& rank)
{
    json axes = json::object();
    for (const auto& [axis, bytes] : rank.by_axis)
    {
        axes[axis] = bytes;
    }
    return {{"bytes_sent", rank.bytes_sent},
            {"by_axis", axes},
            {"memory", memory_json(rank.memory)},
            {"peak_bytes", rank.peak_bytes}};
}

// By layer.
json experts_json(const std::vector<LayerRouting>& layers)
{
    json out{{"wanted", json::array()},
             {"taken", json::array()},
             {"dropped", json::array()},
             {"balance", json::array()}};
    for (const LayerRouting& layer : layers)
    {
        out["wanted"].push_back(layer.wanted);
        out["taken"].push_back(layer.taken);
        out["dropped"].push_back(layer.dropped());
        out["balance"].push_back(layer.balance);
    }
    return out;
}

// What has left the numbers is said in a word: nan and inf are a programmer's.
std::string loss_words(double loss)
{
    return std::isfinite(loss) ? fmt::format("{:.4f}", loss) : "overflow";
}
std::string norm_words(double norm)
{
    return std::isfinite(norm) ? fmt::format("{:.3g}", norm) : "overflow";
}

// "  dropped 3.1%, busiest expert 1.8x"
std::string experts_words(const std::vector<LayerRouting>& layers)
{
    const WholeRouting whole = whole_routing(layers);
    return layers.empty() ? ""
                          : fmt::format("  dropped {:.1f}%, busiest expert {:.1f}x", 100 * whole.dropped,
                                        1 + whole.violation);
}

std::string json_line(const StepLine& l)
{
    const trainer::StepResult& r = l.result;
    json line{{"step", l.step},
              {"loss", std::isfinite(r.loss) ? json(r.loss) : json()},
              {"gradient_norm", std::isfinite(r.gradient_norm) ? json(r.gradient_norm) : json()},
              {"noise_scale_tokens", l.noise_scale ? json(*l.noise_scale) : json()},
              {"learning_rate", r.learning_rate},
              {"loss_scale", r.loss_scale},
              {"skipped", r.skipped},
              {"tokens_per_s", l.tokens / l.seconds},
              {"step_s", l.seconds},
              {"memory", memory_json(l.memory)},
              {"peak_bytes", l.peak_bytes},
              {"ranks", json::array()}};
    for (const StepLine::Rank& rank : l.ranks)
    {
        line["ranks"].push_back(rank_json(rank));
    }
    if (!r.experts.empty())
    {
        line["experts"] = experts_json(r.experts);
    }
    if (l.predicted_s > 0)
    {
        line["predicted_step_s"] = l.predicted_s;
    }
    return line.dump();
}

std::string words_line(const StepLine& l)
{
    const trainer::StepResult& r = l.result;
    return fmt::format("{:>7}  loss {:<7} norm {:<8} rate {:<8.3g} {:>10} tokens/s  {}{}{}", l.step,
                       loss_words(r.loss), norm_words(r.gradient_norm), r.learning_rate,
                       grouped(static_cast<std::int64_t>(l.tokens / l.seconds)),
                       format_seconds(Seconds(l.seconds)), experts_words(r.experts),
                       r.skipped ? "  skipped: a gradient is not finite" : "");
}

} // namespace

void StepLine::add(Rank rank)
{
    peak_bytes = std::max(peak_bytes, rank.peak_bytes);
    for (std::size_t c = 0; c < kComponents; ++c)
    {
        memory.parts[c] = std::max(memory.parts[c], rank.memory.parts[c]);
    }
    ranks.push_back(std::move(rank));
}

bool StepPrinter::print(const StepLine& line, std::int64_t i) const
{
    const std::int64_t between = every > 0 ? every : std::max<std::int64_t>(1, steps / 20);
    if (json)
    {
        return put_line(json_line(line));
    }
    return (i % between != 0 && i + 1 != steps) || put_line(words_line(line));
}

} // namespace ringside
