#include "app/session/run_reading.h"

#include "core/base/text/text.h"

#include <algorithm>

namespace ringside
{

std::int64_t bytes_of(const std::vector<RunFile>& files)
{
    std::int64_t bytes = 0;
    for (const RunFile& file : files)
    {
        bytes += file.bytes;
    }
    return bytes;
}

// The first slice is done by the window's own thread, and the second is a page's before it draws anew.
bool RunReadingWork::advance(int)
{
    if (waits_ > 0)
    {
        --waits_;
        return true;
    }
    read_ = std::make_shared<const Result<RunReading>>(read_run(*files_));
    return false;
}

class RunBeingOpened::Counted final : public ByteSource
{
public:
    Counted(std::unique_ptr<ByteSource> source, std::shared_ptr<Count> count)
        : source_(std::move(source)), count_(std::move(count))
    {
    }
    std::size_t read(char* to, std::size_t most) override
    {
        const std::size_t bytes = count_->stopped ? 0 : source_->read(to, most);
        count_->read += static_cast<std::int64_t>(bytes);
        return bytes;
    }
    std::string cut_short() const override { return source_->cut_short(); }

private:
    std::unique_ptr<ByteSource> source_;
    std::shared_ptr<Count> count_;
};

RunBeingOpened::RunBeingOpened(std::int64_t number, const std::vector<RunFile>& files, bool example)
    : bytes_(std::max<std::int64_t>(1, bytes_of(files))), example_(example)
{
    auto watched = std::make_shared<std::vector<RunFile>>();
    for (const RunFile& file : files)
    {
        watched->push_back({file.name,
                            [open = file.open, count = count_]
                            { return std::make_unique<Counted>(open(), count); },
                            file.bytes});
    }
    request_ = {number, std::move(watched)};
    shown_.name = files.size() == 1 ? files.front().name.substr(files.front().name.find_last_of('/') + 1)
                                    : counted(std::ssize(files), "file");
}

const RunOpening& RunBeingOpened::shown()
{
    shown_.progress = std::min(1.0, static_cast<double>(count_->read) / static_cast<double>(bytes_));
    return shown_;
}

} // namespace ringside
