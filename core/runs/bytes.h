// Bytes that a reader takes one piece after another, so that files of any size need little memory. The
// caller opens the file; nothing here does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ringside
{

class ByteSource
{
public:
    virtual ~ByteSource() = default;
    // At most so many of the next bytes; how many it were, 0 at the end.
    virtual std::size_t read(char* to, std::size_t most) = 0;
    // Why the end came before its time, as a clause: "the gzip data are cut off"; empty where it did not.
    virtual std::string cut_short() const { return {}; }
};

// Reads a text that outlives it.
class TextBytes final : public ByteSource
{
public:
    explicit TextBytes(std::string_view text) : rest_(text) {}
    std::size_t read(char* to, std::size_t most) override;

private:
    std::string_view rest_;
};

bool is_gzip(std::string_view head);
// What another source's gzip data hold, inflated by zlib; ends after 8 GB, as a file of a megabyte can hold
// terabytes of zeros.
std::unique_ptr<ByteSource> inflated(std::unique_ptr<ByteSource> packed);

// The whole of it, up to a limit; `more` says whether there was more.
struct WholeBytes
{
    std::string text;
    bool more = false;
};
WholeBytes take_all(ByteSource& source, std::size_t most);

} // namespace ringside
