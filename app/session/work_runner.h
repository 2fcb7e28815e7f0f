// Does the work that views ask for with Frame::work(). Threads share one queue and one mutex; they are
// started by the first request that a slice does not finish, and joined when the runner ends.
//
// The newest finished results of each kind of work are kept. Work that nobody asked for in the last frame
// ends where a newer request of its kind came; else it goes on, also while another view is on show.
#pragma once

#include "core/base/work.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ringside
{

enum class WorkPace : std::uint8_t
{
    at_once, // as soon as it is asked for: pictures, films
    sliced,  // one slice each frame: where there are no threads
    threaded // beside the window
};

class WorkRunner final : public Works
{
public:
    // Threads count where it is threaded.
    explicit WorkRunner(WorkPace pace = WorkPace::sliced, std::size_t threads = 1);
    WorkRunner(const WorkRunner&) = delete;
    WorkRunner& operator=(const WorkRunner&) = delete;
    ~WorkRunner() override; // ends what is under way

    // Takes what threads have done since, or does a slice. All answers of one frame are the same.
    void next_frame();
    // Whether something that was asked for in this frame is under way.
    bool busy() const;
    // A result of this kind that is whole, once each time it is asked for anew; null: none.
    template <class W>
    std::shared_ptr<const WorkResult<W>> take_finished()
    {
        return std::static_pointer_cast<const WorkResult<W>>(take_finished(kWorkKind<W>));
    }

    // What was asked for last of this kind has come to.
    template <class W>
    WorkAnswer<WorkResult<W>> latest() const
    {
        return typed_answer<W>(latest(kWorkKind<W>));
    }

private:
    struct Job;
    struct Slot;
    class Pool;

    const AnyAnswer& ask(const WorkKind& kind, const void* request) override;
    std::shared_ptr<const void> take_finished(const WorkKind& kind);
    AnyAnswer latest(const WorkKind& kind) const;
    void begin(Slot& slot);
    void take(Slot& slot);
    void advance_one();
    void stop(Slot& slot);
    bool wanted(const Slot& slot) const;
    void forget();

    WorkPace pace_;
    std::size_t threads_;
    std::unique_ptr<Pool> pool_;
    std::vector<std::unique_ptr<Slot>> slots_; // in the order they were first asked for
    std::uint64_t frame_ = 2;
};

// On as many threads as the machine runs at once.
std::unique_ptr<WorkRunner> threaded_works();

} // namespace ringside
