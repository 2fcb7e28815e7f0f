#include "core/scenario/link/link.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/printable.h"
#include "core/scenario/link/link_scenario.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ringside
{

namespace
{

constexpr std::string_view kExample = "a link looks like ringside:#v=memory&s=default;parallel.tensor=4";
constexpr std::size_t kMostParts = 32;

std::string_view without_spaces(std::string_view text)
{
    constexpr std::string_view kSpaces = " \t\r\n";
    const std::size_t from = std::min(text.find_first_not_of(kSpaces), text.size());
    return text.substr(from, text.find_last_not_of(kSpaces) + 1 - from);
}

bool is_address(std::string_view text)
{
    return text.starts_with("https://") || text.starts_with("http://") || text.starts_with("file://");
}

// What stands behind the `#`.
std::string_view fragment_of(std::string_view text)
{
    const std::size_t hash = text.find('#');
    if (hash != std::string_view::npos)
    {
        return text.substr(hash + 1);
    }
    if (text.starts_with(kLinkScheme))
    {
        return text.substr(kLinkScheme.size());
    }
    return is_address(text) ? std::string_view() : text;
}

// Splits "NAME<mark>NUMBER"; a number that is missing leaves `number` as it is.
template <class Number>
std::string name_and_number(std::string_view text, char mark, Number& number, std::string_view path,
                            std::string_view hint, Issues& issues)
{
    const std::size_t at = text.rfind(mark);
    if (at == std::string_view::npos)
    {
        return std::string(text);
    }
    const std::string_view digits = text.substr(at + 1);
    Number read = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), read);
    if (fault != std::errc() || end != digits.data() + digits.size() || read < 0)
    {
        issues.push_back({std::string(path),
                          fmt::format("\u201c{}\u201d is not a whole number", shortened(digits)),
                          std::string(hint)});
    }
    else
    {
        number = read;
    }
    return std::string(text.substr(0, at));
}

struct LinkPart
{
    std::string_view key;
    std::string_view form; // what it looks like, for people
    // Given the part's value with its escapes still in, since those of a scenario stand inside its own parts.
    void (*read)(std::string_view value, const Presets& presets, LinkRead& out);
    // Empty: the link has no such part.
    std::string (*write)(const PlaceLink& link, const Presets& presets);
};

// A part whose value is one text, given to `take` without its escapes.
template <auto take>
void read_text_part(std::string_view value, const Presets&, LinkRead& out)
{
    const auto plain = link_unescaped(value);
    if (!plain || plain->empty())
    {
        out.issues.push_back({"", fmt::format("\u201c{}\u201d cannot be read", shortened(value)),
                              "give it a value; an escaped character is % and two hexadecimal digits"});
        return;
    }
    take(*plain, out);
}

void take_view(const std::string& value, LinkRead& out)
{
    out.link.view = value;
}

void take_lesson(const std::string& value, LinkRead& out)
{
    out.link.lesson =
        name_and_number(value, '/', out.link.step, "", "use LESSON/STEP, such as l=zero/2", out.issues);
}

void take_question(const std::string& value, LinkRead& out)
{
    out.link.question = name_and_number(value, '.', out.link.seed, "",
                                        "use FAMILY.SEED, such as q=3d-degrees/gpus.7", out.issues);
}

void take_assignment(const std::string& value, LinkRead& out)
{
    out.link.assignment = value;
}

void read_scenario_part(std::string_view value, const Presets& presets, LinkRead& out)
{
    out.link.scenario = scenario_of_link(value, presets, out.issues);
}

void read_embed(std::string_view, const Presets&, LinkRead& out)
{
    out.link.embed = true;
}

constexpr std::array kParts{
    LinkPart{"v", "v=VIEW", read_text_part<take_view>,
             [](const PlaceLink& link, const Presets&) { return link_escaped(link.view); }},
    LinkPart{"s", "s=EXAMPLE;PATH=VALUE", read_scenario_part,
             [](const PlaceLink& link, const Presets& presets)
             { return link.scenario ? scenario_for_link(*link.scenario, presets) : std::string(); }},
    LinkPart{"l", "l=LESSON/STEP", read_text_part<take_lesson>,
             [](const PlaceLink& link, const Presets&) {
                 return link.lesson.empty() ? std::string()
                                            : fmt::format("{}/{}", link_escaped(link.lesson), link.step);
             }},
    LinkPart{"q", "q=FAMILY.SEED", read_text_part<take_question>,
             [](const PlaceLink& link, const Presets&)
             {
                 return link.question.empty() ? std::string()
                                              : fmt::format("{}.{}", link_escaped(link.question), link.seed);
             }},
    LinkPart{"a", "a=VALUES", read_text_part<take_assignment>,
             [](const PlaceLink& link, const Presets&) { return link_escaped(link.assignment); }},
    LinkPart{"embed", "embed", read_embed,
             [](const PlaceLink& link, const Presets&) { return std::string(link.embed ? "embed" : ""); }},
};

const LinkPart* find_part(std::string_view key)
{
    const auto* found =
        std::find_if(kParts.begin(), kParts.end(), [&](const LinkPart& part) { return part.key == key; });
    return found == kParts.end() ? nullptr : found;
}

std::string key_of_part(std::string_view text)
{
    return std::string(text.substr(0, text.find('=')));
}

// Its faults are given the part's name.
void read_part(std::string_view text, const Presets& presets, std::vector<std::string>& seen, LinkRead& out)
{
    const std::string key = key_of_part(text);
    const LinkPart* part = find_part(key);
    const std::string where = shortened(key);
    if (part == nullptr)
    {
        out.issues.push_back(
            {where, "is not a part of a link",
             fmt::format("use {}", fmt::join(list_of<std::string_view>(kParts, &LinkPart::form), ", "))});
        return;
    }
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
    {
        out.issues.push_back({where, "is given twice; the first one counts", "leave one of them out"});
        return;
    }
    seen.push_back(key);
    const Issues before = std::exchange(out.issues, {});
    part->read(text.substr(std::min(key.size() + 1, text.size())), presets, out);
    const Issues found = std::exchange(out.issues, before);
    add_below(out.issues, found, where);
}

} // namespace

bool is_link(std::string_view text)
{
    text = without_spaces(text);
    if (text.starts_with(kLinkScheme) || is_address(text))
    {
        return true;
    }
    const std::string_view fragment = text.substr(text.starts_with('#') ? 1 : 0);
    const std::string_view first = fragment.substr(0, fragment.find('&'));
    return find_part(key_of_part(first)) != nullptr && (first.find('=') != std::string_view::npos);
}

LinkRead read_link(std::string_view text, const Presets& presets)
{
    LinkRead out;
    if (text.size() > kMostLinkBytes)
    {
        out.issues.push_back({"link", fmt::format("is {} bytes long", text.size()),
                              fmt::format("use at most {}", kMostLinkBytes)});
        return out;
    }
    std::string_view rest = fragment_of(without_spaces(text));
    if (is_address(without_spaces(text)) && find_part(key_of_part(rest.substr(0, rest.find('&')))) == nullptr)
    {
        out.issues.push_back({"link", "is the address of another page, and nothing is downloaded",
                              fmt::format("for a model, open its config.json there, copy the text and paste "
                                          "that; {}",
                                          kExample)});
        return out;
    }
    std::vector<std::string> seen;
    std::size_t count = 0;
    while (!rest.empty())
    {
        const std::size_t end = std::min(rest.find('&'), rest.size());
        const std::string_view part = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (part.empty())
        {
            continue;
        }
        if (++count > kMostParts)
        {
            out.issues.push_back({"link", "has too many parts", fmt::format("use at most {}", kMostParts)});
            break;
        }
        read_part(part, presets, seen, out);
    }
    if (count == 0)
    {
        out.issues.push_back({"link", "says nothing to open", std::string(kExample)});
    }
    return out;
}

std::string to_text(const PlaceLink& link, const Presets& presets, std::string_view page)
{
    std::string text(page.substr(0, page.find('#')));
    char between = '#';
    for (const LinkPart& part : kParts)
    {
        const std::string value = part.write(link, presets);
        if (!value.empty())
        {
            text += between;
            text += part.key == value ? value : fmt::format("{}={}", part.key, value);
            between = '&';
        }
    }
    return text;
}

} // namespace ringside
