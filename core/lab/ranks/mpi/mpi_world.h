// Ranks as processes that MPI has started, on one host or several. Waits look whether something has come and
// sleep in between, so that more ranks than processors get along, and so that an abort ends them.
//
// Waits poll with sleeps under one mutex: MPI's own waits spin, which starves ranks that share a processor,
// and cannot be ended.
#pragma once

#include "core/lab/ranks/communication/transport.h"

#include <functional>
#include <memory>

namespace ringside::parallel
{

// One in a process. Tags must not be beyond what MPI takes, 2^31 - 1 with Open MPI; larger ones are a fault.
class MpiWorld : public Transport
{
public:
    // Starts MPI. Throws std::runtime_error where MPI cannot be called by several threads in turn. What comes
    // back ends it: after an abort it waits for the others' end for some seconds, and then ends all that are
    // left. A rank that computes hears of an abort with its next call.
    static std::unique_ptr<MpiWorld> start(int* argc, char*** argv);

    std::string name() const override { return "MPI"; }
    virtual std::string library() const = 0; // "Open MPI v4.1.4"
    virtual std::string host() const = 0;    // this rank's
    // Called once in each call that has waited for another rank for 10 seconds: it may be stopped or cut off.
    virtual void tell_of_waits(std::function<void(int from, double seconds)> tell) = 0;
};

} // namespace ringside::parallel
