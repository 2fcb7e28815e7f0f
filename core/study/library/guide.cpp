#include "core/study/library/guide.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/base/place.h"
#include "core/base/text/find.h"

#include <algorithm>
#include <array>
#include <set>

namespace ringside
{

namespace
{

// What blocks begin with; the first is free.
constexpr std::array<std::string_view, 3> kBlocks{"**Reading it.** ", "**Try this.**", "**Good to know.** "};

// Blocks stand at the beginning of a line, in their order.
void check_blocks(std::string_view text, Issues& issues)
{
    std::size_t from = 0;
    for (const std::string_view block : kBlocks)
    {
        const std::size_t at = text.find(fmt::format("\n\n{}", block), from);
        if (at == std::string_view::npos || at == 0)
        {
            issues.push_back({"", fmt::format("no paragraph begins with \"{}\" where it should", block),
                              "write what is seen, then **Reading it.**, **Try this.**, **Good to know.**"});
            return;
        }
        from = at + 1;
    }
}

// What the window does not draw.
void check_line(std::string_view line, std::size_t number, Issues& issues)
{
    constexpr std::string_view kHints = "use paragraphs, **strong**, `code` and lists that begin with \"- \"";
    const bool numbered = line.size() > 1 && line[0] >= '0' && line[0] <= '9' &&
                          line.find_first_not_of("0123456789") == line.find(". ");
    const bool other = line.starts_with('#') || line.starts_with('|') || line.starts_with('>') ||
                       line.starts_with(' ') || line.starts_with('\t') || line.starts_with("* ") || numbered;
    add_if(issues,
           other || line.find("](") != std::string_view::npos || line.find('\r') != std::string_view::npos,
           {fmt::format("line {}", number), "is of a kind that is not drawn", std::string(kHints)});
}

// Takes the line of names off the text; nothing where it has none.
std::vector<std::string> take_names(std::string_view& text, Issues& issues)
{
    constexpr std::string_view kStart = "Also called: ";
    std::vector<std::string> names;
    if (!text.starts_with(kStart))
    {
        return names;
    }
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    const std::string_view list = text.substr(kStart.size(), end - kStart.size());
    for (const std::string_view name : names_between(list))
    {
        names.emplace_back(name);
    }
    add_if(issues, std::ssize(names) != std::ranges::count(list, ';') + 1,
           {"line 1", "has a name without letters", "write names with semicolons between"});
    text.remove_prefix(std::min(end + 2, text.size()));
    return names;
}

} // namespace

Result<GuidePage> read_guide_page(std::string_view text)
{
    Issues issues;
    while (text.ends_with('\n'))
    {
        text.remove_suffix(1);
    }
    GuidePage page;
    page.names = take_names(text, issues);
    page.text = text;
    check_blocks(text, issues);
    std::size_t number = page.names.empty() ? 0 : 2;
    for (std::size_t at = 0; at <= text.size();)
    {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        check_line(text.substr(at, end - at), ++number, issues);
        at = end + 1;
    }
    const std::size_t words = count_words(text);
    add_if(issues, words < kFewestGuideWords || words > kMostGuideWords,
           {"", fmt::format("has {} words", words),
            fmt::format("write {} to {}", kFewestGuideWords, kMostGuideWords)});
    return issues.empty() ? Result<GuidePage>(std::move(page)) : Result<GuidePage>(std::move(issues));
}

Issues check_guide(const Guide& guide, std::span<const std::string_view> views)
{
    Issues issues;
    const std::set<std::string_view> known(views.begin(), views.end());
    for (const std::string_view view : known)
    {
        add_if(
            issues, page_of(view).empty() && !guide.contains(view),
            {fmt::format("guide/{}.md", view), "is missing", "say how the view is read", Severity::warning});
    }
    for (const auto& [view, page] : guide)
    {
        add_if(issues, !known.contains(view),
               {fmt::format("guide/{}.md", view), "there is no such view",
                "ringside picture --list names the views"});
    }
    return issues;
}

} // namespace ringside
