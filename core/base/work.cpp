#include "core/base/work.h"

#include "core/base/caught.h"

namespace ringside
{

AnyAnswer failed_work(const std::exception_ptr& thrown)
{
    return {{1, {fault_of(thrown)}}, nullptr};
}

AnyAnswer finished_work(const WorkKind& kind, const void* request)
{
    AnyAnswer answer;
    const auto thrown = caught(
        [&]
        {
            const auto work = kind.begun(request, 1);
            while (work->advance(0))
            {
            }
            answer = {{1, {}}, work->result(0)};
        });
    return thrown ? failed_work(thrown) : answer;
}

} // namespace ringside
