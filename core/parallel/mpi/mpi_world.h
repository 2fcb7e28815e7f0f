// Ranks as processes that MPI has started, on one host or several. Waits look whether something has come and
// sleep in between, so that more ranks than processors get along, and so that an abort ends them.
#pragma once

#include "core/parallel/transport.h"

#include <memory>

namespace ringside::parallel
{

// One in a process. Tags must not be beyond what MPI takes, 2^31 - 1 with Open MPI; larger ones are a fault.
class MpiWorld final : public Transport
{
public:
    // Starts MPI. Throws std::runtime_error where MPI cannot be called by several threads in turn.
    MpiWorld(int* argc, char*** argv);
    // Ends MPI. After an abort it waits for the others' end for some seconds, and then ends all that are
    // left.
    ~MpiWorld() override;

    int rank() const override;
    int ranks() const override;
    std::string name() const override { return "MPI"; }
    std::string library() const; // "Open MPI v4.1.4"
    std::string host() const;    // this rank's
    Index post(int to, Tag tag, const void* data, Index bytes) override;
    void finish(Index posted) override;
    void receive(int from, Tag tag, void* landing, Index bytes, const Take& take) override;
    void check() override;
    // A rank that computes hears of it with its next call.
    void abort(const std::string& why) override;

private:
    class Library;

    std::unique_ptr<Library> library_;
};

} // namespace ringside::parallel
