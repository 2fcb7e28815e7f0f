// A number of things as people say it: "1 GPU", "16,384 GPUs", "2 batches".
#pragma once

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside
{

inline std::string counted(std::int64_t n, std::string_view thing)
{
    return fmt::format("{} {}{}", grouped(n), thing, n == 1 ? "" : thing.ends_with("ch") ? "es" : "s");
}

} // namespace ringside
