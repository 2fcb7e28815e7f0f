#include "core/base/give_way.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace ringside
{

void give_way()
{
    constexpr int kBehindOthers = 15; // of 19: a thirtieth of a processor that others want too
    const auto thread = static_cast<id_t>(::gettid());
    const int now = ::getpriority(PRIO_PROCESS, thread);
    ::setpriority(PRIO_PROCESS, thread, std::max(now, kBehindOthers));
}

} // namespace ringside
