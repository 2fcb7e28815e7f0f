#include "core/scenario/unknown_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/printable.h"
#include "core/base/text.h"

namespace ringside
{

void UnknownFields::add(Issues& issues, const std::string& path, const std::string& name)
{
    constexpr std::size_t kMost = 100;
    if (++count_ > kMost)
    {
        return;
    }
    const std::string where = path.substr(0, path.size() - name.size()) + shortened(name);
    const std::string near = nearest_word(name, known_);
    issues.push_back({where, "unknown field",
                      near.empty() ? fmt::format("known are {}", fmt::join(known_, ", "))
                                   : fmt::format("did you mean \"{}\"?", near)});
    if (count_ == kMost)
    {
        issues.push_back({where, "and more unknown fields after this one", "only the first 100 are named"});
    }
}

} // namespace ringside
