// Anki's text files, out and in.
#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/csv.h"
#include "core/base/text/text.h"
#include "core/study/progress/exchange.h"
#include "core/study/progress/imports.h"

#include <algorithm>
#include <charconv>

namespace ringside
{

namespace
{

// One cell of a tab-separated line: no tab, no line end, no quote at its start to be taken for a quoted cell.
std::string html(std::string text)
{
    replace_all(text, "&", "&amp;");
    replace_all(text, "<", "&lt;");
    replace_all(text, ">", "&gt;");
    replace_all(text, "\"", "&quot;");
    replace_all(text, "\r", "");
    replace_all(text, "\n", "<br>");
    replace_all(text, "\t", " ");
    return text;
}

std::string from_html(std::string text)
{
    for (const std::string_view line : {"<br>", "<br/>", "<br />", "</div>", "</p>"})
    {
        replace_all(text, line, "\n");
    }
    std::string plain;
    const std::size_t last = text.rfind('>');
    for (std::size_t at = 0; at < text.size(); ++at)
    {
        if (text[at] != '<' || last == std::string::npos || at > last)
        {
            plain += text[at];
            continue;
        }
        at = text.find('>', at);
    }
    replace_all(plain, "&nbsp;", " ");
    replace_all(plain, "&lt;", "<");
    replace_all(plain, "&gt;", ">");
    replace_all(plain, "&quot;", "\"");
    replace_all(plain, "&#39;", "'");
    replace_all(plain, "&amp;", "&");
    const std::size_t end = plain.find_last_not_of(" \n");
    return end == std::string::npos ? "" : plain.substr(0, end + 1);
}

// Tags are separated by spaces, so they hold none.
std::string joined(std::vector<std::string> tags)
{
    for (std::string& tag : tags)
    {
        std::ranges::replace_if(
            tag, [](char c) { return c == ' ' || c == '\t' || c == '\n'; }, '-');
    }
    return fmt::format("{}", fmt::join(tags, " "));
}

std::vector<std::string> split(std::string_view text)
{
    std::vector<std::string> words;
    while (!text.empty())
    {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end > 0)
        {
            words.emplace_back(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

// What the header lines say. Columns count from 0; nothing where the file has none.
struct AnkiHeader
{
    char separator = '\t';
    bool separated = false; // it says so
    bool html = false;
    std::optional<std::size_t> tags;
    std::optional<std::size_t> guid;
    std::optional<std::size_t> deck;
    std::optional<std::size_t> notetype;

    bool is_special(std::size_t column) const
    {
        return column == tags || column == guid || column == deck || column == notetype;
    }
};

std::optional<char> separator_of(std::string_view name)
{
    constexpr std::array<std::pair<std::string_view, char>, 6> kNames{
        {{"tab", '\t'}, {"comma", ','}, {"semicolon", ';'}, {"pipe", '|'}, {"space", ' '}, {"colon", ':'}}};
    const std::string lower = small_letters(name);
    for (const auto& [word, sign] : kNames)
    {
        if (lower == word)
        {
            return sign;
        }
    }
    return name.size() == 1 ? std::optional(name.front()) : std::nullopt;
}

std::optional<std::size_t> column_of(std::string_view text)
{
    std::size_t column = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), column);
    const bool good = error == std::errc() && end == text.data() + text.size() && column > 0;
    return good ? std::optional(column - 1) : std::nullopt;
}

void read_header(std::string_view line, std::int64_t number, AnkiHeader& header, Issues& issues)
{
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view key = line.substr(1, colon - 1);
    const std::string_view value = line.substr(std::min(colon + 1, line.size()));
    const auto fault = [&](std::string hint)
    {
        issues.push_back({fmt::format("line {}: {}", number, key), fmt::format("\"{}\" is not known", value),
                          std::move(hint)});
    };
    const auto column = [&](std::optional<std::size_t>& target)
    {
        target = column_of(value);
        if (!target)
        {
            fault("give the number of a column");
        }
    };
    if (key == "separator")
    {
        const auto sign = separator_of(value);
        header.separator = sign.value_or('\t');
        header.separated = sign.has_value();
        if (!sign)
        {
            fault("use tab, comma, semicolon, pipe, space or colon");
        }
    }
    else if (key == "html")
    {
        header.html = value == "true";
    }
    else if (key == "tags column")
    {
        column(header.tags);
    }
    else if (key == "guid column")
    {
        column(header.guid);
    }
    else if (key == "deck column")
    {
        column(header.deck);
    }
    else if (key == "notetype column")
    {
        column(header.notetype);
    }
}

std::string cell(const CsvRow& row, std::optional<std::size_t> column)
{
    return column && *column < row.cells.size() ? row.cells[*column] : "";
}

std::optional<PersonalCard> card_in(const CsvRow& row, const AnkiHeader& header)
{
    auto fields = list_where<std::string>(
        row.cells.size(), [&](std::size_t i) { return !header.is_special(i); },
        [&](std::size_t i) { return header.html ? from_html(row.cells[i]) : row.cells[i]; });
    if (row.open || fields.empty() || fields.front().empty())
    {
        return std::nullopt;
    }
    PersonalCard card;
    const std::string guid = cell(row, header.guid);
    card.id = "personal:" + (guid.empty() ? fmt::format("{:016x}", stable_hash(fields.front())) : guid);
    card.front = fields.front();
    card.back = fields.size() > 1 ? fields[1] : "";
    card.tags = split(cell(row, header.tags));
    return card;
}

} // namespace

std::string stable_guid(std::string_view family, int variant)
{
    return fmt::format("rs{:016x}", stable_hash(family, static_cast<std::uint64_t>(variant)));
}

std::string anki_text(const std::vector<FrozenCard>& cards, std::string_view deck)
{
    std::string out = fmt::format("#separator:tab\n#html:true\n#notetype:Basic\n#deck:{}\n"
                                  "#tags column:3\n#guid column:4\n",
                                  deck);
    for (const FrozenCard& card : cards)
    {
        out +=
            fmt::format("{}\t{}\t{}\t{}\n", html(card.front), html(card.back), joined(card.tags), card.guid);
    }
    return out;
}

Imported<PersonalCard> cards_from_anki(std::string_view text)
{
    Imported<PersonalCard> read;
    AnkiHeader header;
    std::int64_t line = 0;
    if (text.starts_with("\xEF\xBB\xBF"))
    {
        text.remove_prefix(3); // a byte order mark
    }
    while (text.starts_with('#'))
    {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view row = text.substr(0, end);
        row.remove_suffix(row.ends_with('\r') ? 1 : 0);
        read_header(row, ++line, header, read.issues);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!is_utf8(text) || (!header.separated && text.find('\t') == std::string_view::npos))
    {
        read.issues = {{"", "this is neither a review log nor an Anki text file",
                        "in Anki: File, Export, Notes in Plain Text; it begins with #separator:tab"}};
        return read;
    }
    for (const CsvRow& row : csv_rows(text, header.separator))
    {
        if (read.entries.size() == kMostImported)
        {
            read.issues.push_back({fmt::format("line {}", line + row.line),
                                   fmt::format("more than {} cards", grouped(std::int64_t{kMostImported})),
                                   "split the file"});
            break;
        }
        if (auto card = card_in(row, header))
        {
            read.entries.push_back(std::move(*card));
            continue;
        }
        read.issues.push_back({fmt::format("line {}", line + row.line),
                               row.open ? "a quote is not closed" : "the note has no front",
                               row.open ? "close it with \"" : "fill the first field"});
    }
    return read;
}

} // namespace ringside
