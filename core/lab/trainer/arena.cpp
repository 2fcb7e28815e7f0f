#include "core/lab/trainer/arena.h"

#include <algorithm>
#include <utility>

namespace ringside::trainer
{

Block::~Block()
{
    if (arena_)
    {
        arena_->give(*this);
    }
}

void Block::swap(Block& other) noexcept
{
    std::swap(arena_, other.arena_);
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(component_, other.component_);
}

Arena::~Arena()
{
    trim();
}

Block Arena::take(Index bytes, Component component)
{
    void* memory = nullptr;
    const auto kept = kept_.find(bytes);
    if (kept != kept_.end() && !kept->second.empty())
    {
        memory = kept->second.back();
        kept->second.pop_back();
    }
    else
    {
        memory = allocate(bytes);
        if (!memory)
        {
            trim();
            memory = allocate(bytes);
        }
        if (!memory)
        {
            throw OutOfMemory(bytes);
        }
        reserved_ += bytes;
        buffers_[memory] = {.number = made_++, .bytes = bytes};
    }
    ArenaBuffer& buffer = buffers_[memory];
    buffer.in_use = true;
    buffer.component = component;
    note(buffer.number, bytes, false, component);
    count(component, bytes);
    return {this, memory, bytes, component};
}

void* Arena::allocate(Index bytes)
{
    const bool allowed = limit_ == 0 || reserved_ + workspace_ + bytes <= limit_;
    return allowed ? backend_.allocate(bytes) : nullptr;
}

void Arena::give(const Block& block)
{
    kept_[block.bytes_].push_back(block.memory_);
    ArenaBuffer& buffer = buffers_[block.memory_];
    buffer.in_use = false;
    note(buffer.number, block.bytes_, true, block.component_);
    count(block.component_, -block.bytes_);
}

void Arena::note(Index buffer, Index bytes, bool given_back, Component component)
{
    if (recording_ && bytes > 0)
    {
        events_.push_back(
            {.buffer = buffer, .bytes = bytes, .given_back = given_back, .component = component});
    }
}

void Arena::mark(MemoryMoment::Where where, Index layer)
{
    for (; marked_ < events_.size(); ++marked_)
    {
        events_[marked_].where = where;
        events_[marked_].layer = layer;
    }
}

AllocationLog Arena::recorded() const
{
    AllocationLog log{.events = events_, .buffers = {}};
    if (workspace_ > 0)
    {
        log.buffers.push_back({.number = kScratch, .bytes = workspace_, .in_use = true});
    }
    for (const auto& [memory, buffer] : buffers_)
    {
        if (buffer.bytes > 0)
        {
            log.buffers.push_back(buffer);
        }
    }
    std::ranges::sort(log.buffers, {}, &ArenaBuffer::number);
    return log;
}

void Arena::count(Component component, Index bytes)
{
    use_.of(component) += bytes;
    highest_.of(component) = std::max(highest_.of(component), use_.of(component));
    if (use_.total() > peak_.total())
    {
        peak_ = use_;
    }
}

void Arena::start_peak()
{
    peak_ = use_;
    highest_ = use_;
    events_.clear();
    marked_ = 0;
}

void Arena::note_peak(const MemoryUse& peak, const MemoryUse& highest)
{
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        highest_.parts[i] = std::max(highest_.parts[i], highest.parts[i]);
    }
    if (peak.total() > peak_.total())
    {
        peak_ = peak;
    }
}

void Arena::trim()
{
    ++trims_;
    for (auto& [bytes, blocks] : kept_)
    {
        for (void* memory : blocks)
        {
            backend_.release(memory);
            buffers_.erase(memory);
            reserved_ -= bytes;
        }
    }
    kept_.clear();
}

void Arena::note_workspace()
{
    const Index now = backend_.workspace();
    if (now != workspace_)
    {
        note(kScratch, workspace_, true, Component::buffers);
        note(kScratch, now, false, Component::buffers);
    }
    count(Component::buffers, now - workspace_);
    workspace_ = now;
}

} // namespace ringside::trainer
