// Files of a run that take longer to read than a frame: on a thread beside the window, with how far it is. A
// page without threads reads them in one go, after it has shown that it does.
#pragma once

#include "core/base/work.h"
#include "core/runs/run.h"
#include "ui/shell/frame/run_frame.h"

#include <atomic>

namespace ringside
{

// Files that are larger in all are read beside the window.
inline constexpr std::int64_t kReadAtOnce = 2'000'000;
std::int64_t bytes_of(const std::vector<RunFile>& files);

class RunReadingWork
{
public:
    struct Request
    {
        std::int64_t number = 0;
        std::shared_ptr<const std::vector<RunFile>> files;

        bool operator==(const Request& other) const { return number == other.number; }
    };
    static constexpr int kSlice = 1;
    static constexpr std::size_t kKept = 0;

    explicit RunReadingWork(const Request& request) : files_(request.files) {}

    bool advance(int);
    double progress() const { return read_ != nullptr ? 1 : 0; }
    const std::shared_ptr<const Result<RunReading>>& result() const { return read_; }

private:
    std::shared_ptr<const std::vector<RunFile>> files_;
    std::shared_ptr<const Result<RunReading>> read_;
    int waits_ = 2; // slices, until it has been drawn that files are being read
};

// What is being opened. Its end ends the reading, which then finds its files to be over.
class RunBeingOpened
{
public:
    RunBeingOpened(std::int64_t number, const std::vector<RunFile>& files, bool example);
    RunBeingOpened(const RunBeingOpened&) = delete;
    RunBeingOpened& operator=(const RunBeingOpened&) = delete;
    ~RunBeingOpened() { count_->stopped = true; }

    const RunReadingWork::Request& request() const { return request_; }
    bool example() const { return example_; }
    const RunOpening& shown();

private:
    struct Count
    {
        std::atomic<std::int64_t> read = 0; // [B]
        std::atomic<bool> stopped = false;
    };
    class Counted;

    std::shared_ptr<Count> count_ = std::make_shared<Count>();
    std::int64_t bytes_;
    bool example_;
    RunReadingWork::Request request_;
    RunOpening shown_;
};

} // namespace ringside
