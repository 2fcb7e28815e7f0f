// Lines of an open file, of bounded length: what is longer is passed over, so that one bad line costs itself.
#pragma once

#include <cstddef>
#include <string>

namespace ringside
{

enum class LineRead
{
    whole,
    too_long, // and the line is empty
    end
};

class LineReader
{
public:
    LineReader(int file, std::size_t limit) : file_(file), limit_(limit) {}

    // Waits for it. Its end, and a carriage return before that, are left out; the last line needs none.
    LineRead next(std::string& line);

private:
    bool fill();

    int file_;
    std::size_t limit_;
    std::string held_; // what was read
    std::size_t from_ = 0;
};

} // namespace ringside
