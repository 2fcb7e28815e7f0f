// All memory of a training: every buffer comes from here with the name of what it is for, so that what is
// used, and what was used at the peak, is known to the byte. Buffers of a size that has been given back are
// handed out again, as PyTorch's caching allocator does; so a step finds the same memory every time.
//
// Weights, gradients, momentum, variance and master copy equal the engine's prediction exactly. Activations
// are the engine's plus the statistics that Korthikanti et al. leave out (statistics_bytes(): mean and
// deviation of each norm, one logarithm per head with flash attention, three scales in fp8), under 2% in
// fp32 to fp16 from width 64 upward. Buffers differ: the engine counts scratch for weight gradients, which
// are added in place here; the trainer has the scratch of its threads.
#pragma once

#include "core/lab/allocations.h"
#include "core/lab/trainer/backend.h"

#include <map>
#include <new>
#include <unordered_map>
#include <vector>

namespace ringside::trainer
{

class Arena;

// One allocation; gives itself back.
class Block
{
public:
    Block() = default;
    Block(Block&& other) noexcept { swap(other); }
    Block& operator=(Block&& other) noexcept
    {
        Block taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~Block();

    explicit operator bool() const { return memory_ != nullptr; }
    void* data() const { return memory_; }
    template <class T>
    T* as() const
    {
        return static_cast<T*>(memory_);
    }
    Index bytes() const { return bytes_; }

private:
    friend class Arena;
    Block(Arena* arena, void* memory, Index bytes, Component component)
        : arena_(arena), memory_(memory), bytes_(bytes), component_(component)
    {
    }
    void swap(Block& other) noexcept;

    Arena* arena_ = nullptr;
    void* memory_ = nullptr;
    Index bytes_ = 0;
    Component component_ = Component::buffers;
};

// The device could not give `bytes`.
struct OutOfMemory : std::bad_alloc
{
    explicit OutOfMemory(Index wanted) : bytes(wanted) {}
    const char* what() const noexcept override { return "the device has no memory left"; }
    Index bytes;
};

class Arena
{
public:
    explicit Arena(Backend& backend) : backend_(backend) {}
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena();

    // Throws OutOfMemory when the device has no more; the caller turns that into an Issue.
    Block take(Index bytes, Component component);

    const MemoryUse& use() const { return use_; }
    // At the moment of the largest total since start_peak(), and the most of each component since then.
    const MemoryUse& peak() const { return peak_; }
    const MemoryUse& highest() const { return highest_; }
    void start_peak();
    // As if these had been reached again.
    void note_peak(const MemoryUse& peak, const MemoryUse& highest);
    // [B] more than this is not taken, as if the device had no more; 0: all it has.
    void set_limit(Index bytes) { limit_ = bytes; }
    // [B] taken from the device, in use or kept to be handed out again.
    Index reserved() const { return reserved_; }
    // Gives back to the device what is kept but not in use.
    void trim();
    // How often that has happened: memory that was given back before may be gone.
    std::int64_t trims() const { return trims_; }

    // The backend's own scratch may have grown: it counts among the buffers.
    void note_workspace();

    // From here on, what is taken and given back since start_peak() is written down.
    void record() { recording_ = true; }
    bool recording() const { return recording_; }
    // What was written down since the last one belongs to this part of the step.
    void mark(MemoryMoment::Where where, Index layer = 0);
    AllocationLog recorded() const;

private:
    friend class Block;
    void* allocate(Index bytes); // null beyond the limit too
    void give(const Block& block);
    void count(Component component, Index bytes);
    void note(Index buffer, Index bytes, bool given_back, Component component);

    Backend& backend_;
    std::map<Index, std::vector<void*>> kept_; // by size
    MemoryUse use_;
    MemoryUse peak_;
    MemoryUse highest_;
    Index limit_ = 0;
    Index reserved_ = 0;
    Index workspace_ = 0;
    std::int64_t trims_ = 0;
    std::unordered_map<const void*, ArenaBuffer> buffers_;
    Index made_ = 0; // buffers, so far
    bool recording_ = false;
    std::vector<AllocationEvent> events_;
    std::size_t marked_ = 0; // of these
};

} // namespace ringside::trainer
