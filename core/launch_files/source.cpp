#include "core/launch_files/source.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <algorithm>

namespace ringside
{

namespace
{

// The first line that says something: neither empty nor a comment.
std::string_view first_line(std::string_view text)
{
    while (!text.empty())
    {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        if (!line.empty() && line.front() != '#')
        {
            return line;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return {};
}

bool is_python(std::string_view text)
{
    return text.starts_with("from ") || text.find("\nfrom ") != std::string_view::npos ||
           text.starts_with("import ") || text.find("\nimport ") != std::string_view::npos ||
           text.find("\ndef ") != std::string_view::npos;
}

bool is_toml(std::string_view text)
{
    const std::string_view line = first_line(text);
    if (line.starts_with("[") && line.find(']') != std::string_view::npos)
    {
        return true;
    }
    const auto equals = line.find(" = ");
    return equals != std::string_view::npos && line.find_first_of("$\"'") > equals;
}

// "name:" at the front of its first line, and no word of a shell before it.
bool is_yaml(std::string_view text)
{
    const std::string_view line = first_line(text);
    const auto colon = line.find(':');
    const bool ends = colon != std::string_view::npos &&
                      (colon + 1 == line.size() || line[colon + 1] == ' ' || line[colon + 1] == '\r');
    return line.starts_with("---") ? line.size() <= 4 : ends && line.find(' ') > colon;
}

} // namespace

Result<LaunchSource> read_source(std::string_view text, const std::string& file,
                                 const std::vector<std::string>& arguments)
{
    if (text.size() > kMaxLaunchBytes)
    {
        return Issue{"",
                     fmt::format("{} is more than the {} that are read",
                                 format_bytes(Bytes(static_cast<double>(text.size()))),
                                 format_bytes(Bytes(static_cast<double>(kMaxLaunchBytes)), ByteUnit::binary)),
                     "a launch file has a few kilobytes"};
    }
    if (!is_utf8(text) || text.find('\0') != std::string_view::npos)
    {
        return Issue{"", "is no text in UTF-8", "give the file that starts the training"};
    }
    const std::string_view line = first_line(text);
    if (line.starts_with("{"))
    {
        return read_json_source(text, file);
    }
    if (!text.starts_with("#!") && is_python(text))
    {
        return read_python(text, file);
    }
    if (is_yaml(text))
    {
        return read_yaml(text, file);
    }
    if (is_toml(text))
    {
        return read_toml(text, file);
    }
    return read_shell(text, file, arguments);
}

} // namespace ringside
