#include "core/base/json/json.h"

#include <array>
#include <atomic>
#include <functional>
#include <limits>

namespace ringside
{

namespace
{

constexpr std::size_t kReserved = 65'536; // values

alignas(nlohmann::json) constinit std::array<std::byte, kReserved * sizeof(nlohmann::json)> reserve{};
constinit std::size_t given = 0;  // values of it, from its beginning
constinit std::size_t pieces = 0; // not yet returned
constinit std::atomic_flag busy;

// Held for a few instructions, and it neither asks for memory nor throws.
class ReserveLock
{
public:
    ReserveLock() noexcept
    {
        while (busy.test_and_set(std::memory_order_acquire))
        {
        }
    }
    ReserveLock(const ReserveLock&) = delete;
    ReserveLock& operator=(const ReserveLock&) = delete;
    ~ReserveLock() { busy.clear(std::memory_order_release); }
};

} // namespace

void* take_values(std::size_t count)
{
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(nlohmann::json))
    {
        throw std::bad_array_new_length();
    }
    if (void* memory = ::operator new(count * sizeof(nlohmann::json), std::nothrow))
    {
        return memory;
    }
    const ReserveLock lock;
    if (count > kReserved - given)
    {
        throw std::bad_alloc();
    }
    void* memory = reserve.data() + given * sizeof(nlohmann::json);
    given += count;
    ++pieces;
    return memory;
}

void give_back_values(void* memory) noexcept
{
    const std::less<> before;
    const auto* place = static_cast<std::byte*>(memory);
    if (before(place, reserve.data()) || !before(place, reserve.data() + reserve.size()))
    {
        ::operator delete(memory);
        return;
    }
    const ReserveLock lock;
    if (--pieces == 0)
    {
        given = 0;
    }
}

} // namespace ringside
