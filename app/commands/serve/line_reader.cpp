#include "app/commands/serve/line_reader.h"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace ringside
{

bool LineReader::fill()
{
    std::array<char, 65536> part{};
    ssize_t n = 0;
    do
    {
        n = ::read(file_, part.data(), part.size());
    } while (n < 0 && errno == EINTR);
    held_.erase(0, from_);
    from_ = 0;
    held_.append(part.data(), static_cast<std::size_t>(n > 0 ? n : 0));
    return n > 0;
}

LineRead LineReader::next(std::string& line)
{
    line.clear();
    bool too_long = false;
    std::size_t looked = 0;
    while (true)
    {
        const std::size_t end = held_.find('\n', from_ + looked);
        const std::size_t length = (end == std::string::npos ? held_.size() : end) - from_;
        too_long = too_long || length > limit_;
        if (end != std::string::npos)
        {
            line = too_long ? std::string() : held_.substr(from_, length);
            from_ = end + 1;
            break;
        }
        looked = too_long ? 0 : length;
        from_ = too_long ? held_.size() : from_; // what is too long is not kept
        if (!fill())
        {
            if (from_ == held_.size() && !too_long)
            {
                return LineRead::end;
            }
            line = held_.substr(from_);
            from_ = held_.size();
            break;
        }
    }
    if (line.ends_with('\r'))
    {
        line.pop_back();
    }
    return too_long ? LineRead::too_long : LineRead::whole;
}

} // namespace ringside
