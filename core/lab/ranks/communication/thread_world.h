// Ranks as threads of one process. A message is a pointer: the receiver reads it where the sender has it.
// Waits sleep, and an abort wakes all of them. It starts no threads of its own but in run().
#pragma once

#include "core/lab/ranks/communication/transport.h"

#include <memory>
#include <optional>
#include <vector>

namespace ringside::parallel
{

class ThreadWorld
{
public:
    explicit ThreadWorld(int ranks); // 1 or more
    ThreadWorld(const ThreadWorld&) = delete;
    ThreadWorld& operator=(const ThreadWorld&) = delete;
    ~ThreadWorld(); // no rank may be inside any more

    int ranks() const;
    Transport& rank(int rank);
    void abort(const std::string& why);         // from outside; a rank's own names the rank
    std::optional<std::string> aborted() const; // why

    // work() on a thread for each rank; returns when all have ended. What a rank throws aborts the world;
    // then the first fault is thrown again here, Aborted only where there was no other.
    void run(const std::function<void(Transport&)>& work);

private:
    class Mail;
    class Rank;

    std::unique_ptr<Mail> mail_;
    std::vector<std::unique_ptr<Rank>> all_;
};

} // namespace ringside::parallel
