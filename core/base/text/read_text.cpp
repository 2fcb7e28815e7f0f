#include "core/base/text/read_text.h"

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/base/text/text.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <new>

namespace ringside
{

namespace fs = std::filesystem;

namespace
{

Issue too_large(const std::string& path, const std::string& size, const FileKind& kind)
{
    return {path,
            fmt::format("{}more than the {} that are read", size,
                        format_bytes(Bytes(static_cast<double>(kind.limit)), ByteUnit::binary)),
            std::string(kind.hint)};
}

Issue unreadable(const std::string& path)
{
    const int reason = errno;
    return {path, fmt::format("could not be read: {}", std::strerror(reason)),
            path == "-"        ? "give a file, or send it to standard input"
            : reason == ENOENT ? "check the name, or use - for standard input"
                               : "check its permissions"};
}

// So far it begins as its kind does.
bool may_be(std::string_view text, std::string_view begins)
{
    return text.substr(0, begins.size()) == begins.substr(0, text.size());
}

Result<std::string> read_stream(std::istream& in, const std::string& path, const FileKind& kind)
{
    std::string text;
    std::array<char, 65536> part{};
    errno = 0;
    while (may_be(text, kind.begins) && (in.read(part.data(), part.size()) || in.gcount() > 0))
    {
        text.append(part.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > kind.limit)
        {
            return too_large(path, "", kind);
        }
    }
    if (in.bad() && errno == 0)
    {
        throw std::bad_alloc(); // which the stream has kept to itself
    }
    if (in.bad() || errno == EISDIR || errno == EBADF)
    {
        return unreadable(path);
    }
    if (!text.starts_with(kind.begins))
    {
        return Issue{path, fmt::format("does not begin with \u201c{}\u201d", kind.begins),
                     std::string(kind.hint)};
    }
    return text;
}

// What keeps a file of this name from being opened at all.
std::optional<Issue> refused(const std::string& path, const FileKind& kind)
{
    std::error_code fault;
    const fs::file_status there = fs::status(path, fault);
    if (there.type() == fs::file_type::directory)
    {
        return Issue{path, "is a folder", "give a file"};
    }
    if (kind.plain && there.type() != fs::file_type::regular && fs::exists(there))
    {
        return Issue{path, "is a pipe or a device", "a plain file belongs there"};
    }
    const auto size = fs::file_size(path, fault);
    if (!fault && size > kind.limit)
    {
        return too_large(path, format_bytes(Bytes(static_cast<double>(size))) + " is ", kind);
    }
    return std::nullopt;
}

} // namespace

Result<std::string> read_text(const std::string& path, const FileKind& kind)
{
    try
    {
        if (path == "-" && !kind.plain)
        {
            return read_stream(std::cin, path, kind);
        }
        if (const auto issue = refused(path, kind))
        {
            return *issue;
        }
        std::ifstream file(path, std::ios::binary);
        return file ? read_stream(file, path, kind) : unreadable(path);
    }
    catch (const std::bad_alloc&)
    {
        return Issue{path, "does not fit into this machine's memory", std::string(kind.hint)};
    }
}

Result<std::string> read_plain(const fs::path& file, std::size_t limit)
{
    auto text = read_text(file.string(), {.limit = limit, .plain = true});
    if (!text)
    {
        Issue issue = text.issues().front();
        issue.path.clear();
        return issue;
    }
    return text;
}

std::uint64_t checksum(std::string_view bytes)
{
    std::uint64_t sum = bytes.size();
    for (; bytes.size() >= 8; bytes.remove_prefix(8))
    {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), 8);
        sum = mixed(sum ^ word);
    }
    for (const char byte : bytes)
    {
        sum = mixed(sum ^ static_cast<unsigned char>(byte));
    }
    return sum;
}

} // namespace ringside
