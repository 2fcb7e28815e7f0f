// longjmp() between stacks is what fibers are made of; a fortified C library would take it for an attack.
#undef _FORTIFY_SOURCE
#include "tests/core/lab/cuda_shim/shim.h"

#include <fmt/format.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ringside::shim
{

namespace
{

constexpr std::size_t kStack = 256U << 10U;
constexpr unsigned kLanes = 32;

enum class Waits
{
    nothing,
    block,
    warp,
    over
};

struct Copy
{
    void* to;
    const void* from; // null: zeros
};

// Fibers are entered once through a context; after that they jump, which spares two system calls a turn.
struct Fiber
{
    ucontext_t context{};
    std::jmp_buf place{};
    bool entered = false;
    std::unique_ptr<char[]> stack = std::make_unique<char[]>(kStack); // NOLINT(modernize-avoid-c-arrays)
    dim3 thread;
    Waits waits = Waits::nothing;
    unsigned exchanges = 0;                // how many it has taken part in
    std::vector<std::vector<Copy>> copies; // groups on their way, the last one not complete
};

// What the lanes of a warp hand each other: two rooms, so that a lane that is ahead does not overwrite.
struct Warp
{
    std::array<std::array<Words, kLanes>, 2> values{};
};

struct Machine
{
    Place place;
    std::vector<std::unique_ptr<Fiber>> fibers;
    std::vector<Warp> warps;
    std::vector<double> shared; // aligned for everything
    const std::function<void()>* body = nullptr;
    std::jmp_buf scheduler{};
    std::size_t threads = 0;
    std::size_t current = 0;
    Order order = Order::forwards;
    std::vector<std::function<void()>>* recording = nullptr;
    std::uint64_t random = 1;
    const char* fault = nullptr; // that a fiber met, on whose stack nothing can be thrown
};

Machine& machine()
{
    static Machine m;
    return m;
}

Fiber& current()
{
    return *machine().fibers[machine().current];
}

// Back to the fiber that gave this one its turn.
void yield(Fiber& fiber)
{
    if (_setjmp(fiber.place) == 0)
    {
        _longjmp(machine().scheduler, 1);
    }
}

// A fiber serves one thread of every block.
void fiber_main()
{
    while (true)
    {
        (*machine().body)(); // NOLINT(clang-analyzer-core.CallAndMessage): set before any fiber runs
        current().waits = Waits::over;
        yield(current());
    }
}

void wait_for(Waits what)
{
    Fiber& fiber = current();
    fiber.waits = what;
    yield(fiber);
}

void enter(Fiber& fiber)
{
    fiber.entered = true;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStack;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, fiber_main, 0);
    setcontext(&fiber.context);
}

void give_turn(Fiber& fiber)
{
    if (_setjmp(machine().scheduler) == 0)
    {
        if (fiber.entered)
        {
            _longjmp(fiber.place, 1);
        }
        enter(fiber);
    }
}

void start_fibers()
{
    Machine& m = machine();
    while (m.fibers.size() < m.threads)
    {
        m.fibers.push_back(std::make_unique<Fiber>());
    }
    m.warps.assign((m.threads + kLanes - 1) / kLanes, {});
    for (std::size_t i = 0; i < m.threads; ++i)
    {
        Fiber& fiber = *m.fibers[i];
        const auto at = static_cast<unsigned>(i);
        const dim3 size = m.place.block_size;
        fiber.thread = {at % size.x, at / size.x % size.y, at / size.x / size.y};
        fiber.waits = Waits::nothing;
        fiber.exchanges = 0;
        fiber.copies.assign(1, {});
    }
}

std::vector<std::size_t> turns()
{
    Machine& m = machine();
    std::vector<std::size_t> order(m.threads);
    for (std::size_t i = 0; i < m.threads; ++i)
    {
        order[i] = m.order == Order::backwards ? m.threads - 1 - i : i;
    }
    for (std::size_t i = m.threads; m.order == Order::shuffled && i > 1; --i)
    {
        m.random = m.random * 6364136223846793005U + 1442695040888963407U;
        std::swap(order[i - 1], order[(m.random >> 33U) % i]);
    }
    return order;
}

// Whether all threads of [begin, end) that are not over wait for the same thing.
bool all_wait(std::size_t begin, std::size_t end, Waits what)
{
    const auto& fibers = machine().fibers;
    bool any = false;
    for (std::size_t i = begin; i < end; ++i)
    {
        if (fibers[i]->waits != what && fibers[i]->waits != Waits::over)
        {
            return false;
        }
        any = any || fibers[i]->waits == what;
    }
    return any;
}

void release(std::size_t begin, std::size_t end)
{
    for (std::size_t i = begin; i < end; ++i)
    {
        Fiber& fiber = *machine().fibers[i];
        fiber.waits = fiber.waits == Waits::over ? Waits::over : Waits::nothing;
    }
}

// Lets go of every barrier that all its threads have met. False when there is none.
bool open_barriers()
{
    const std::size_t threads = machine().threads;
    bool opened = false;
    for (std::size_t begin = 0; begin < threads; begin += kLanes)
    {
        const std::size_t end = std::min(threads, begin + kLanes);
        if (all_wait(begin, end, Waits::warp))
        {
            release(begin, end);
            opened = true;
        }
    }
    // A thread that is over can no longer meet a barrier: hardware may hang on it.
    const auto& fibers = machine().fibers;
    const bool complete = std::none_of(fibers.begin(), fibers.begin() + static_cast<std::ptrdiff_t>(threads),
                                       [](const auto& fiber) { return fiber->waits == Waits::over; });
    if (complete && all_wait(0, threads, Waits::block))
    {
        release(0, threads);
        opened = true;
    }
    return opened;
}

void throw_fault()
{
    if (const char* fault = std::exchange(machine().fault, nullptr))
    {
        machine().fibers.clear(); // they are in the middle of a kernel
        throw std::runtime_error(fault);
    }
}

void run_block()
{
    Machine& m = machine();
    start_fibers();
    while (true)
    {
        bool ran = false;
        for (const std::size_t i : turns())
        {
            if (m.fibers[i]->waits == Waits::nothing)
            {
                m.current = i;
                m.place.thread = m.fibers[i]->thread;
                give_turn(*m.fibers[i]);
                throw_fault();
                ran = true;
            }
        }
        const bool over =
            std::all_of(m.fibers.begin(), m.fibers.begin() + static_cast<std::ptrdiff_t>(m.threads),
                        [](const auto& fiber) { return fiber->waits == Waits::over; });
        if (over)
        {
            return;
        }
        if (!ran && !open_barriers())
        {
            m.fibers.clear(); // they are in the middle of a kernel
            throw std::runtime_error(fmt::format(
                "block {}: some threads wait at a barrier that others do not meet", m.place.block.x));
        }
    }
}

} // namespace

void set_order(Order order)
{
    machine().order = order;
}

void record_into(std::vector<std::function<void()>>* list)
{
    machine().recording = list;
}

void enqueue(std::function<void()> work)
{
    if (machine().recording)
    {
        machine().recording->push_back(std::move(work));
        return;
    }
    work();
}

const Place& place()
{
    return machine().place;
}

void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& body)
{
    Machine& m = machine();
    m.threads = std::size_t{block.x} * block.y * block.z;
    m.shared.assign(shared_bytes / sizeof(double) + 1, 0);
    m.body = &body;
    m.place.block_size = block;
    m.place.grid_size = grid;
    for (unsigned z = 0; z < grid.z; ++z)
    {
        for (unsigned y = 0; y < grid.y; ++y)
        {
            for (unsigned x = 0; x < grid.x; ++x)
            {
                m.place.block = {x, y, z};
                run_block();
            }
        }
    }
}

void* dynamic_shared()
{
    return machine().shared.data();
}

void fail(const char* fault)
{
    machine().fault = fault;
    wait_for(Waits::block);
}

void block_barrier()
{
    wait_for(Waits::block);
}

void warp_barrier()
{
    wait_for(Waits::warp);
}

unsigned lane()
{
    return static_cast<unsigned>(machine().current % kLanes);
}

const std::array<Words, kLanes>& exchange(const Words& own)
{
    const std::size_t warp = machine().current / kLanes;
    auto& room = machine().warps[warp].values[current().exchanges++ % 2];
    room[lane()] = own;
    wait_for(Waits::warp);
    return room;
}

void start_copy(void* to, const void* from)
{
    current().copies.back().push_back({to, from});
}

void end_group()
{
    current().copies.emplace_back();
}

void wait_for_copies(std::size_t left)
{
    constexpr std::size_t kBytes = 16;
    auto& groups = current().copies;
    while (groups.size() > left + 1)
    {
        for (const Copy& copy : groups.front())
        {
            copy.from ? std::memcpy(copy.to, copy.from, kBytes) : std::memset(copy.to, 0, kBytes);
        }
        groups.erase(groups.begin());
    }
}

} // namespace ringside::shim
