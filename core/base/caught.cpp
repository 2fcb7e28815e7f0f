#include "core/base/caught.h"

#include <new>
#include <system_error>

namespace ringside
{

Issue fault_of(const std::exception_ptr& thrown)
{
    try
    {
        std::rethrow_exception(thrown);
    }
    catch (const std::bad_alloc&)
    {
        return {"memory", "there is not enough of it", "close other programs, or ask for less at once"};
    }
    catch (const std::system_error& fault)
    {
        const bool threads = fault.code() == std::errc::resource_unavailable_try_again;
        return {"system", fault.what(), threads ? "close other programs, or raise the limit of threads" : ""};
    }
    catch (const std::exception& fault)
    {
        return {"", fault.what(), ""};
    }
    catch (...)
    {
        return {"", "something unknown went wrong", "please report what you did"};
    }
}

} // namespace ringside
