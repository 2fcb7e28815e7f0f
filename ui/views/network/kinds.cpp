#include "ui/views/network/kinds.h"

#include "ui/widgets/choice.h"

#include <algorithm>

namespace ringside
{

std::string_view says_of(CollectiveKind kind)
{
    constexpr std::array<std::string_view, kCollectiveKinds> kSays{
        "every rank gets the full sum",      "every rank gets one reduced chunk",
        "every rank gets every chunk",       "every rank gets the root's buffer",
        "the root gets the full sum",        "rank r gets block r of every rank",
        "one rank's message to another rank"};
    return kSays.at(static_cast<std::size_t>(kind));
}

std::optional<CollectiveKind> kind_popup(const Painter& painter, const char* id)
{
    std::vector<Choosable> kinds;
    for (std::size_t k = 0; k < kCollectiveKinds; ++k)
    {
        const auto kind = static_cast<CollectiveKind>(k);
        kinds.push_back({name_of(kind), name_of(kind), says_of(kind)});
    }
    const auto chosen = choice_popup(painter, id, kinds);
    return chosen ? std::optional(static_cast<CollectiveKind>(*chosen)) : std::nullopt;
}

Links links_of(const Scenario& s, const CollectiveReport& c)
{
    return {{c.link.latency, BytesPerSecond(node_link(s.cluster) * 1e9)},
            {c.link.latency, BytesPerSecond(s.cluster.network_gb_per_s * 1e9)},
            std::max<std::int64_t>(1, s.cluster.gpus_per_node / s.parallel.tensor)};
}

} // namespace ringside
