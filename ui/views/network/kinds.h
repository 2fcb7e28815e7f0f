// What the views of collectives share: the kinds to choose from, and the links that a group runs over.
#pragma once

#include "core/network/collective/cost.h"
#include "ui/draw/painter.h"

#include <optional>
#include <string_view>

namespace ringside
{

// "every rank gets the full sum"
std::string_view says_of(CollectiveKind kind);
// While the popup of this id is open; the one chosen.
std::optional<CollectiveKind> kind_popup(const Painter& painter, const char* id);
// Ranks of one replica sit together, so a node holds so many of the group.
Links links_of(const Scenario& scenario, const CollectiveReport& collective);

} // namespace ringside
