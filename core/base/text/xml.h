// Text inside XML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace ringside
{

// With & < > and " as entities, so that it may stand between tags and in an attribute.
std::string escaped_xml(std::string_view text);

} // namespace ringside
