// What work throws, as a value. An exception that leaves a thread ends the program, and the standard library
// throws wherever memory or threads run out.
#pragma once

#include "core/base/result.h"

#include <exception>

namespace ringside
{

// What the work threw; null: nothing.
template <class Work>
std::exception_ptr caught(const Work& work) noexcept
{
    try
    {
        work();
    }
    catch (...)
    {
        return std::current_exception();
    }
    return nullptr;
}

// What was thrown, as a fault; of memory that ran out with what to do about it. May run out itself.
Issue fault_of(const std::exception_ptr& thrown);

// Short enough that a string holds it without asking for memory.
inline constexpr const char* kNoMemory = "out of memory";

// fault_of() as a line for the user, whatever memory is left.
inline std::string fault_line(const std::exception_ptr& thrown) noexcept
{
    std::string line = kNoMemory;
    (void)caught([&] { line = to_line(fault_of(thrown)); });
    return line;
}

// What `make` returns, a Result, or what it threw.
template <class Make>
auto attempted(const Make& make) -> decltype(make())
{
    std::exception_ptr thrown;
    try
    {
        return make();
    }
    catch (...)
    {
        thrown = std::current_exception();
    }
    return fault_of(thrown);
}

} // namespace ringside
