#include "core/runs/bytes.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace ringside
{

namespace
{

constexpr std::uint64_t kMostInflated = 8'000'000'000;
constexpr std::size_t kPiece = 1U << 16U;

class GzipBytes final : public ByteSource
{
public:
    explicit GzipBytes(std::unique_ptr<ByteSource> packed) : packed_(std::move(packed))
    {
        // 15 bits of window and 16 for a gzip header (zlib.h, inflateInit2).
        ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK;
    }
    GzipBytes(const GzipBytes&) = delete;
    GzipBytes& operator=(const GzipBytes&) = delete;
    ~GzipBytes() override { inflateEnd(&stream_); }

    std::size_t read(char* to, std::size_t most) override
    {
        if (!ready_ || ended_)
        {
            return 0;
        }
        stream_.next_out = reinterpret_cast<Bytef*>(to); // zlib's bytes are unsigned
        stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(most, 1U << 30U));
        const uInt before = stream_.avail_out;
        while (stream_.avail_out == before && !ended_)
        {
            advance();
        }
        const std::size_t made = before - stream_.avail_out;
        total_ += made;
        if (total_ > kMostInflated)
        {
            ended_ = true;
            why_ = "the gzip data hold more than 8 GB";
        }
        return made;
    }
    std::string cut_short() const override { return why_; }

private:
    void advance()
    {
        if (stream_.avail_in == 0)
        {
            stream_.avail_in = static_cast<uInt>(packed_->read(piece_.data(), piece_.size()));
            stream_.next_in = reinterpret_cast<Bytef*>(piece_.data());
        }
        if (stream_.avail_in == 0)
        {
            ended_ = true;
            why_ = between_ ? "" : "the gzip data are cut off";
            return;
        }
        between_ = false;
        const int said = inflate(&stream_, Z_NO_FLUSH);
        if (said == Z_STREAM_END) // another member may follow
        {
            between_ = true;
            ended_ = inflateReset(&stream_) != Z_OK;
        }
        else if (said != Z_OK && said != Z_BUF_ERROR)
        {
            ended_ = true;
            why_ = "the gzip data are damaged";
        }
    }

    std::unique_ptr<ByteSource> packed_;
    z_stream stream_{};
    std::array<char, kPiece> piece_{};
    std::string why_;
    std::uint64_t total_ = 0;
    bool ready_ = false;
    bool ended_ = false;
    bool between_ = false; // members
};

} // namespace

std::size_t TextBytes::read(char* to, std::size_t most)
{
    const std::size_t count = std::min(most, rest_.size());
    std::memcpy(to, rest_.data(), count);
    rest_.remove_prefix(count);
    return count;
}

bool is_gzip(std::string_view head)
{
    return head.starts_with("\x1f\x8b");
}

std::unique_ptr<ByteSource> inflated(std::unique_ptr<ByteSource> packed)
{
    return std::make_unique<GzipBytes>(std::move(packed));
}

WholeBytes take_all(ByteSource& source, std::size_t most)
{
    WholeBytes whole;
    std::array<char, kPiece> piece{};
    while (const std::size_t count = source.read(piece.data(), piece.size()))
    {
        if (whole.text.size() + count > most)
        {
            whole.more = true;
            break;
        }
        whole.text.append(piece.data(), count);
    }
    return whole;
}

} // namespace ringside
