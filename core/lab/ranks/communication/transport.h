// How bytes get from one rank to another, and nothing else: threads of one process, processes of MPI, or
// GPUs. What is sent when is decided once, in communicator.h.
//
// An abort ends every wait of every rank with the first reason; what a sender has posted stays readable
// until nobody reads it any more.
#pragma once

#include "core/lab/ranks/communication/memory.h"

#include <functional>
#include <stdexcept>
#include <string>

namespace ringside::parallel
{

// Thrown in every rank once a rank has given up: which one, and why.
struct Aborted : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

// Messages between two ranks with the same tag arrive in the order in which they were posted. Any thread of a
// rank may call; two threads never use the same tag between the same ranks.
class Transport
{
public:
    using Tag = std::int64_t;
    using Take = std::function<void(const void* message)>;

    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    virtual int rank() const = 0;
    virtual int ranks() const = 0;
    virtual std::string name() const = 0; // "threads", "MPI"
    // Whether take() sees the sender's own memory, which may then be a device's.
    virtual bool shares_memory() const { return false; }

    // Starts to send; `data` must stay as they are until finish(), which must be called even when a wait has
    // thrown. Never blocks for long.
    virtual Index post(int to, Tag tag, const void* data, Index bytes) = 0;
    virtual void finish(Index posted) = 0;
    // Waits for the next message and shows it to take(), where it lies: with the sender, or in `landing`,
    // which has room for it. A message of another size is a fault of the caller's, and aborts.
    virtual void receive(int from, Tag tag, void* landing, Index bytes, const Take& take) = 0;
    // Receives into `place`, which lies in `memory`.
    void receive_into(int from, Tag tag, void* place, Index bytes, Memory& memory = host_memory())
    {
        receive(from, tag, place, bytes,
                [&](const void* message)
                {
                    if (message != place)
                    {
                        memory.copy(place, message, bytes);
                    }
                });
    }
    // Throws Aborted once a rank has given up; for those that wait for something else.
    virtual void check() = 0;
    // Ends every wait of every rank with Aborted; the first reason counts.
    virtual void abort(const std::string& why) = 0;
};

} // namespace ringside::parallel
