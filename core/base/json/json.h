// nlohmann/json whose destructor never throws: everything includes this in place of <nlohmann/json.hpp>.
//
// A value is taken apart with a list of what is in it (basic_json::json_value::destroy), so its destructor
// asks for memory. Where there is none left, the exception would leave a destructor and end the program.
// Lists of values therefore have a reserve of their own: room for 65,536 values, which is given out once
// operator new has failed and comes back whole when all of it has been returned.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <memory>
#include <new>

namespace ringside
{

// Memory for so many values, or std::bad_alloc.
void* take_values(std::size_t count);
void give_back_values(void* memory) noexcept;

} // namespace ringside

// Allowed by [namespace.std] for a type that is not the standard library's.
template <>
class std::allocator<nlohmann::json>
{
public:
    using value_type = nlohmann::json;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using propagate_on_container_move_assignment = std::true_type;
    using is_always_equal = std::true_type;

    constexpr allocator() noexcept = default;
    template <class Other>
    // NOLINTNEXTLINE(google-explicit-constructor): as all are
    constexpr allocator(const std::allocator<Other>&) noexcept
    {
    }

    value_type* allocate(std::size_t count) { return static_cast<value_type*>(ringside::take_values(count)); }
    void deallocate(value_type* memory, std::size_t) noexcept { ringside::give_back_values(memory); }

    friend constexpr bool operator==(const allocator&, const allocator&) noexcept { return true; }
};

#include <nlohmann/json.hpp>
