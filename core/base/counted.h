// A number of things as people say it: "1 GPU", "16,384 GPUs".
#pragma once

#include <fmt/format.h>

#include "core/base/text.h"

namespace ringside
{

inline std::string counted(std::int64_t n, std::string_view thing)
{
    return fmt::format("{} {}{}", grouped(n), thing, n == 1 ? "" : "s");
}

} // namespace ringside
