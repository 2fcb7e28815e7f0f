#include "core/base/json/json_text.h"

#include <fmt/format.h>

#include "core/base/text/folder.h"
#include "core/base/text/printable.h"
#include "core/base/text/read_text.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ringside
{

using nlohmann::json;

std::string shown(const json& value)
{
    constexpr std::size_t kLongest = 60;
    return shortened(value.dump(-1, ' ', false, json::error_handler_t::replace), kLongest);
}

std::optional<std::int64_t> whole(const json& value)
{
    if (value.is_number_integer())
    {
        return value.is_number_unsigned() && value.get<std::uint64_t>() > (std::uint64_t{1} << 62U)
                   ? std::optional<std::int64_t>{}
                   : value.get<std::int64_t>();
    }
    if (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>() &&
        std::abs(value.get<double>()) < 4e18)
    {
        return static_cast<std::int64_t>(value.get<double>());
    }
    return {};
}

namespace
{

// Watches a parse: how deep it goes, and the first field given twice, of which the library silently keeps the
// last.
class KeyWatch
{
public:
    bool see(int depth, json::parse_event_t event, const json& parsed)
    {
        deepest_ = std::max(deepest_, depth);
        if (event == json::parse_event_t::object_start)
        {
            open_.emplace_back();
        }
        else if (event == json::parse_event_t::object_end)
        {
            open_.pop_back();
        }
        else if (event == json::parse_event_t::key)
        {
            open_.back().last = parsed.get<std::string>();
            if (!open_.back().keys.insert(open_.back().last).second && !twice_)
            {
                twice_ = path();
            }
        }
        return true;
    }

    int deepest() const { return deepest_; }
    const std::optional<std::string>& twice() const { return twice_; }

private:
    struct OpenObject
    {
        std::set<std::string> keys;
        std::string last;
    };

    std::string path() const
    {
        std::string path;
        for (const OpenObject& object : open_)
        {
            path += (&object == &open_.front() ? "" : ".") + shortened(object.last);
        }
        return path;
    }

    std::vector<OpenObject> open_;
    std::optional<std::string> twice_;
    int deepest_ = 0;
};

} // namespace

namespace
{

Result<json> parse_strict(std::string_view text);

// NaN, Infinity and -Infinity, which Python's json module writes and JSON has no word for, as texts: a field
// that is a number then has a fault by its path, and any other is none.
std::string with_quoted_literals(std::string_view text)
{
    std::string quoted;
    bool inside = false;
    for (std::size_t at = 0; at < text.size();)
    {
        const std::string_view rest = text.substr(at);
        std::size_t length = 0;
        for (const std::string_view literal : {"NaN", "Infinity", "-Infinity"})
        {
            length = !inside && rest.starts_with(literal) ? literal.size() : length;
        }
        if (length > 0)
        {
            quoted += fmt::format("\"{}\"", rest.substr(0, length));
            at += length;
            continue;
        }
        const bool escaped = inside && rest.front() == '\\' && rest.size() > 1;
        inside = rest.front() == '"' ? !inside : inside;
        quoted += rest.substr(0, escaped ? 2 : 1);
        at += escaped ? 2 : 1;
    }
    return quoted;
}

} // namespace

Result<json> parse_json(std::string_view text)
{
    auto parsed = parse_strict(text);
    const bool python =
        text.find("NaN") != std::string_view::npos || text.find("Infinity") != std::string_view::npos;
    if (!parsed && python && text.size() <= kMaxJsonBytes)
    {
        auto again = parse_strict(with_quoted_literals(text));
        return again ? again : parsed;
    }
    return parsed;
}

namespace
{

Result<json> parse_strict(std::string_view text)
{
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    {
        return Issue{"", "the file is empty", "JSON starts with { and ends with }"};
    }
    if (text.size() > kMaxJsonBytes)
    {
        return Issue{"",
                     fmt::format("{} of JSON is more than the {} that are read",
                                 format_bytes(Bytes(static_cast<double>(text.size()))),
                                 format_bytes(Bytes(static_cast<double>(kMaxJsonBytes)), ByteUnit::binary)),
                     "give a smaller file"};
    }
    KeyWatch watch;
    try
    {
        json parsed = json::parse(text, [&](int depth, json::parse_event_t event, json& key)
                                  { return watch.see(depth, event, key); });
        if (watch.twice())
        {
            return Issue{*watch.twice(), "given twice", "keep one"};
        }
        if (watch.deepest() > 64)
        {
            return Issue{"", fmt::format("nested {} deep", watch.deepest()), "at most 64 levels are read"};
        }
        return parsed;
    }
    catch (const json::exception& fault)
    {
        std::string what = fault.what();
        const auto bracket = what.find("] ");
        return Issue{"", "not JSON: " + (bracket == std::string::npos ? what : what.substr(bracket + 2)),
                     "check commas, quotes and brackets there"};
    }
}

} // namespace

Result<json> read_json_file(const std::filesystem::path& file)
{
    const auto text = read_plain(file, kMaxJsonBytes);
    return text ? parse_json(*text) : Result<json>(text.issues());
}

std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files = files_below(folder);
    std::erase_if(files, [](const auto& file) { return file.extension() != ".json"; });
    std::ranges::sort(files, {}, [](const auto& file) { return std::pair(file.filename(), file); });
    return files;
}

void each_json(const std::filesystem::path& folder, Issues& issues, const TakeJson& take)
{
    for (const auto& file : json_files(folder))
    {
        const auto parsed = read_json_file(file);
        add_below(issues, parsed ? take(*parsed, file.stem().string()) : parsed.issues(),
                  (folder.filename() / file.filename()).string());
    }
}

} // namespace ringside
