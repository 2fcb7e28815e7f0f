// Progress files that were cut short or broken by hand: every entry that stands in them in one piece is read.
#include <fmt/format.h>

#include "core/study/progress/progress_sections.h"

#include <algorithm>

namespace ringside
{

namespace
{

using nlohmann::json;

// Counts lines as it goes, so that a long file is gone through once.
class Lines
{
public:
    explicit Lines(std::string_view text) : text_(text) {}

    std::int64_t at(std::size_t place)
    {
        const auto from = text_.begin() + static_cast<std::ptrdiff_t>(counted_);
        line_ += std::count(from, text_.begin() + static_cast<std::ptrdiff_t>(place), '\n');
        counted_ = place;
        return line_;
    }

private:
    std::string_view text_;
    std::size_t counted_ = 0;
    std::int64_t line_ = 1;
};

struct Found
{
    json object;
    std::size_t end;
};

// The object that starts at `at`: up to one of the next closing braces, since answers may hold some.
std::optional<Found> object_at(std::string_view text, std::size_t at)
{
    constexpr int kMostBraces = 8;
    const std::string_view near = text.substr(at, 65536);
    std::size_t end = 0;
    for (int i = 0; i < kMostBraces; ++i)
    {
        end = near.find('}', end + 1);
        if (end == std::string_view::npos)
        {
            break;
        }
        json parsed = json::parse(near.substr(0, end + 1), nullptr, false);
        if (parsed.is_object())
        {
            return Found{std::move(parsed), at + end + 1};
        }
    }
    return std::nullopt;
}

// The section whose list was opened last in this stretch of text.
const ProgressSection* opened_in(std::string_view stretch, const ProgressSection* before)
{
    std::size_t best = 0;
    for (const ProgressSection& section : progress_sections())
    {
        const std::size_t at = stretch.rfind(fmt::format("\"{}\"", section.name));
        if (at != std::string_view::npos && at >= best)
        {
            best = at;
            before = &section;
        }
    }
    return before;
}

// The lines that say "name": value.
json settings_in(std::string_view text)
{
    json settings = json::object();
    for (std::size_t at = 0; at < text.size();)
    {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        at = end + 1;
        if (!line.starts_with('"'))
        {
            continue;
        }
        line = line.substr(0, line.find_last_not_of(" \t\r,") + 1);
        const json parsed = json::parse(fmt::format("{{{}}}", line), nullptr, false);
        if (parsed.is_object())
        {
            settings.update(parsed);
        }
    }
    return settings;
}

// Reviews are known by their members, others by the list they stand in.
const ProgressSection* section_of(const json& entry, const ProgressSection* opened)
{
    return entry.contains("card") && entry.contains("rating") ? &progress_sections().back() : opened;
}

} // namespace

void salvage_progress(std::string_view text, ProgressRead& read)
{
    constexpr std::size_t kMostNamed = 100; // broken entries
    read_progress_settings(settings_in(text), read);
    Lines lines(text);
    const ProgressSection* opened = nullptr;
    std::size_t last = 0;
    std::size_t named = 0;
    // The file's own opening brace, if it is there, has nothing before it.
    std::size_t at = text.find('{', text.find_first_not_of(" \t\r\n{"));
    while (at != std::string_view::npos)
    {
        opened = opened_in(text.substr(last, at - last), opened);
        const auto found = object_at(text, at);
        const ProgressSection* section = found ? section_of(found->object, opened) : nullptr;
        if (section != nullptr)
        {
            section->read({found->object, fmt::format("line {}", lines.at(at)), read.issues}, read.progress);
        }
        else if (++named <= kMostNamed)
        {
            read.issues.push_back({fmt::format("line {}", lines.at(at)), "an entry is broken", "left out"});
        }
        last = found ? found->end : at;
        at = text.find('{', found ? found->end : at + 1);
    }
}

} // namespace ringside
