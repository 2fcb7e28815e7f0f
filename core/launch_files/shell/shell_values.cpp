// One file, since expansions, fields and assignments call each other in a circle.
#include "core/launch_files/shell/shell_values.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr int kMostExpansions = 40; // one in another
constexpr std::size_t kMostText = 1U << 17U;
constexpr std::size_t kMostWork = 20'000'000; // letters

bool of_name(char c)
{
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}
bool starts_name(char c)
{
    return c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0;
}

// The end of what closes the bracket at `i`, quotes skipped.
std::size_t closing(std::string_view text, std::size_t i)
{
    int depth = 0;
    for (; i < text.size(); ++i)
    {
        const char c = text[i];
        if (c == '\\')
        {
            ++i;
        }
        else if (c == '\'')
        {
            i = std::min(text.find('\'', i + 1), text.size());
        }
        depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
        if (depth == 0)
        {
            return i;
        }
    }
    return text.size();
}

std::string without_quotes(std::string_view text)
{
    std::string plain(text);
    std::erase_if(plain, [](char c) { return c == '"' || c == '\''; });
    return plain;
}

// What stands in a longer text for what only a run knows: "${HOSTNAME}", "${nvidia_smi__L}". Read again by
// eval it is a variable that is not set, so not known either.
std::string stand_in(const std::string& unknown)
{
    std::string name = unknown;
    std::ranges::replace_if(
        name, [](char c) { return !of_name(c); }, '_');
    return "${" + name + "}";
}

// Fields that are being put together out of quoted and unquoted parts.
class FieldBuilder
{
public:
    explicit FieldBuilder(FilePlace place) : place_(std::move(place)) {}

    void add(char c)
    {
        begin();
        fields.back().text += c;
    }
    void add_quoted(const ShellValue& value)
    {
        begin();
        fields.back().text +=
            value.text.empty() && !value.unknown.empty() ? stand_in(value.unknown) : value.text;
        mark(value);
    }
    // Split at blanks.
    void add_split(const ShellValue& value)
    {
        if (!value.unknown.empty() && value.text.empty())
        {
            add_quoted(value);
            return;
        }
        const std::size_t before = fields.size() - (open_ ? 1 : 0);
        for (const char c : value.text)
        {
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
            {
                open_ = false;
            }
            else
            {
                add(c);
            }
        }
        for (std::size_t i = before; i < fields.size() && !value.unknown.empty(); ++i)
        {
            const std::size_t at = fields[i].text.find("${");
            if (at != std::string::npos && fields[i].unknown.empty())
            {
                fields[i].unknown = fields[i].text.substr(at + 2, fields[i].text.find('}', at) - at - 2);
            }
        }
    }
    void next() { open_ = false; }
    void begin()
    {
        if (!open_)
        {
            fields.push_back({{}, place_});
            open_ = true;
        }
    }

    std::vector<ShellField> fields;

private:
    void mark(const ShellValue& value)
    {
        if (!value.unknown.empty() && fields.back().unknown.empty())
        {
            fields.back().unknown = value.unknown;
        }
    }

    FilePlace place_;
    bool open_ = false;
};

// `cut -d= -f1` and `cut -f1 -d=`; the first field where it says neither.
std::string cut(const std::string& text, const std::vector<ShellField>& words)
{
    char by = '\t';
    std::size_t wanted = 1;
    for (std::size_t i = 1; i < words.size(); ++i)
    {
        const std::string& word = words[i].text;
        const bool apart = word.size() == 2 && i + 1 < words.size();
        const std::string value = apart ? words[i + 1].text : word.size() > 2 ? word.substr(2) : "";
        if (word.starts_with("-d") && !value.empty())
        {
            by = value.front();
        }
        if (word.starts_with("-f"))
        {
            wanted = static_cast<std::size_t>(std::max<std::int64_t>(1, whole_number(value).value_or(1)));
        }
    }
    std::size_t begin = 0;
    for (std::size_t n = 1; n < wanted && begin != std::string::npos; ++n)
    {
        begin = text.find(by, begin);
        begin += begin != std::string::npos ? 1 : 0;
    }
    return begin == std::string::npos ? std::string() : text.substr(begin, text.find(by, begin) - begin);
}

// ${NAME/FROM/TO}: the first so many.
void replace_in(std::string& text, const std::string& from, const std::string& to, int most)
{
    std::size_t at = from.empty() ? std::string::npos : text.find(from);
    for (int n = 0; at != std::string::npos && n < most; ++n)
    {
        text.replace(at, from.size(), to);
        at = text.find(from, at + to.size());
    }
}

// ${NAME#PATTERN} and ${NAME%PATTERN}: without what matches at one end.
void cut_affix(std::string& text, const std::string& pattern, bool front, bool longest)
{
    const std::size_t size = text.size();
    for (std::size_t n = 0; n <= std::min<std::size_t>(size, 4096); ++n)
    {
        const std::size_t length = longest ? size - n : n;
        const std::string_view whole = text;
        if (matches_glob(pattern, front ? whole.substr(0, length) : whole.substr(size - length)))
        {
            text = front ? text.substr(length) : text.substr(0, size - length);
            return;
        }
    }
}

// What a backslash takes its meaning from; a line's end after one is nothing.
void add_escaped(FieldBuilder& builder, char next, bool quotes)
{
    if (next == '\n')
    {
        return;
    }
    if (quotes && std::string_view("$`\"\\").find(next) == std::string_view::npos)
    {
        builder.add('\\');
    }
    builder.add(next);
}

} // namespace

bool matches_glob(std::string_view pattern, std::string_view text)
{
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t after = 0;
    while (t < text.size())
    {
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*')
        {
            ++p;
            ++t;
        }
        else if (p < pattern.size() && pattern[p] == '*')
        {
            star = p++;
            after = t;
        }
        else if (star != std::string_view::npos)
        {
            p = star + 1;
            t = ++after;
        }
        else
        {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

void ShellValues::join(ShellValue& to, const ShellValue& more)
{
    to.text += more.text.empty() && !more.unknown.empty() ? stand_in(more.unknown) : more.text;
    to.text.resize(std::min(to.text.size(), kMostText));
    to.unknown = to.unknown.empty() ? more.unknown : to.unknown;
}

bool ShellValues::spend(std::size_t letters)
{
    spent_ += letters;
    return spent_ <= kMostWork;
}

void ShellValues::set(const std::string& name, ShellValue value)
{
    if (variables.size() < 10'000)
    {
        variables[name] = {{std::move(value)}};
    }
}

bool ShellValues::assign(const ShellToken& token)
{
    const std::string_view raw = token.text;
    std::size_t end = 0;
    while (end < raw.size() && of_name(raw[end]))
    {
        ++end;
    }
    if (end == 0 || end == raw.size() || !starts_name(raw[0]))
    {
        return false;
    }
    const std::string name(raw.substr(0, end));
    std::optional<std::size_t> index;
    if (raw[end] == '[')
    {
        const std::size_t close = raw.find(']', end);
        const auto number = whole_number(std::string(raw.substr(end + 1, close - end - 1)));
        if (close == std::string_view::npos || !number || *number < 0 || *number > 1000)
        {
            return false;
        }
        index = static_cast<std::size_t>(*number);
        end = close + 1;
    }
    const bool adds = raw.substr(end).starts_with("+=");
    if (!adds && !raw.substr(end).starts_with("="))
    {
        return false;
    }
    ShellVariable& variable = variables[name];
    if (token.kind == ShellToken::Kind::array)
    {
        std::vector<ShellValue> entries = adds ? variable.entries : std::vector<ShellValue>();
        for (const ShellToken& entry : token.entries)
        {
            for (ShellField& field : fields(entry))
            {
                if (entries.size() < kMostText)
                {
                    entries.push_back({std::move(field.text), std::move(field.unknown)});
                }
            }
        }
        variables[name].entries = std::move(entries);
        return true;
    }
    const ShellValue value = text(raw.substr(end + (adds ? 2 : 1)));
    auto& entries = variables[name].entries;
    const std::size_t at = index.value_or(0);
    entries.resize(std::max(entries.size(), at + 1));
    if (adds)
    {
        join(entries[at], value);
        return true;
    }
    entries[at] = value;
    return true;
}

ShellValues::Expanded ShellValues::named(std::string_view name, std::string_view index) const
{
    if (name == "@" || name == "*")
    {
        return {positional, true};
    }
    if (name == "#")
    {
        return {{{std::to_string(positional.size()), ""}}};
    }
    if (name.empty() || !starts_name(name[0]))
    {
        const auto number = name.empty() ? std::nullopt : whole_number(std::string(name));
        const auto n = static_cast<std::size_t>(std::max<std::int64_t>(0, number.value_or(0)));
        return n >= 1 && n <= positional.size() ? Expanded{{positional[n - 1]}} : Expanded{};
    }
    const auto found = variables.find(name);
    if (found == variables.end())
    {
        return {};
    }
    const auto& entries = found->second.entries;
    if (index == "@" || index == "*")
    {
        return {entries, true};
    }
    const auto n = static_cast<std::size_t>(
        std::max<std::int64_t>(0, index.empty() ? 0 : whole_number(std::string(index)).value_or(0)));
    return n < entries.size() ? Expanded{{entries[n]}} : Expanded{{{}}};
}

ShellValue ShellValues::substring(const ShellValue& value, std::string_view operation)
{
    const std::size_t colon = operation.find(':');
    const Number from = arithmetic(operation.substr(0, colon));
    const Number length =
        colon == std::string_view::npos ? Number{kMostText, ""} : arithmetic(operation.substr(colon + 1));
    if (!from.value || !length.value)
    {
        return {"", from.value ? length.unknown : from.unknown};
    }
    const auto size = static_cast<std::int64_t>(value.text.size());
    const std::int64_t begin =
        std::clamp<std::int64_t>(*from.value < 0 ? size + *from.value : *from.value, 0, size);
    const std::int64_t end =
        *length.value < 0 ? size + *length.value : begin + std::min(*length.value, size - begin);
    return {value.text.substr(static_cast<std::size_t>(begin),
                              static_cast<std::size_t>(std::max<std::int64_t>(0, end - begin))),
            value.unknown};
}

// What follows the name inside ${ }.
void ShellValues::modify(Expanded& found, std::string_view operation, std::string_view name)
{
    const bool is_set = !found.values.empty();
    const bool colon = operation.starts_with(":") && operation.size() > 1 &&
                       std::string_view("-=+?").find(operation[1]) != std::string_view::npos;
    const char kind = operation[colon ? 1 : 0];
    const std::string_view word = operation.substr(colon ? 2 : 1);
    const bool empty = std::ranges::all_of(found.values, [](const ShellValue& v)
                                           { return v.text.empty() && v.unknown.empty(); });
    const bool there = is_set && (!colon || !empty);
    if (colon || kind == '-' || kind == '=' || kind == '+' || kind == '?')
    {
        if ((kind == '-' || kind == '=') && !there)
        {
            found = {{text(word)}};
            if (kind == '=')
            {
                set(std::string(name), found.values[0]);
            }
        }
        else if (kind == '+')
        {
            found = {{there ? text(word) : ShellValue{}}};
        }
        else if (kind == '?' && !there)
        {
            found = {{{"", std::string(name)}}};
        }
        return;
    }
    for (ShellValue& value : found.values)
    {
        if (kind == ':')
        {
            value = substring(value, word);
        }
        else if (kind == ',' || kind == '^')
        {
            std::ranges::transform(
                value.text, value.text.begin(),
                [&](unsigned char c)
                { return static_cast<char>(kind == ',' ? std::tolower(c) : std::toupper(c)); });
        }
        else if (kind == '/')
        {
            const bool all = word.starts_with('/');
            const std::string_view rest = word.substr(all ? 1 : 0);
            const std::size_t slash = rest.find('/');
            const std::string to = slash == std::string_view::npos ? "" : text(rest.substr(slash + 1)).text;
            replace_in(value.text, text(rest.substr(0, slash)).text, to, all ? 1000 : 1);
        }
        else if ((kind == '#' || kind == '%') && value.text.size() < 16'384)
        {
            const bool longest = word.starts_with(kind);
            cut_affix(value.text, text(word.substr(longest ? 1 : 0)).text, kind == '#', longest);
        }
    }
}

// What stands inside ${ }.
ShellValues::Expanded ShellValues::parameter(std::string_view inside)
{
    const bool length = inside.size() > 1 && inside[0] == '#';
    const bool indirect = inside.size() > 1 && inside[0] == '!';
    inside.remove_prefix(length || indirect ? 1 : 0);
    std::size_t end = 0;
    while (end < inside.size() && of_name(inside[end]))
    {
        ++end;
    }
    end = end == 0 && !inside.empty() ? 1 : end; // @ * #
    std::string name(inside.substr(0, end));
    std::string_view index;
    if (end < inside.size() && inside[end] == '[')
    {
        const std::size_t close = std::min(inside.find(']', end), inside.size());
        index = inside.substr(end + 1, close - end - 1);
        end = std::min(close + 1, inside.size());
    }
    if (indirect && index.empty())
    {
        const Expanded of = named(name, {});
        name = of.values.empty() ? "" : of.values[0].text;
    }
    const std::string at = index == "@" || index == "*" ? std::string(index) : text(index).text;
    Expanded found = named(name, at);
    if (length)
    {
        const std::size_t count = found.many             ? found.values.size()
                                  : found.values.empty() ? 0
                                                         : found.values[0].text.size();
        return {{{std::to_string(count), found.values.empty() ? "" : found.values[0].unknown}}};
    }
    if (end < inside.size())
    {
        modify(found, inside.substr(end), name);
        return found;
    }
    if (found.values.empty() && !found.many)
    {
        found.values.push_back({"", name});
    }
    return found;
}

// `echo TEXT` and `echo TEXT | cut ...`; no other command is known without executing it.
ShellValue ShellValues::substituted(std::string_view command)
{
    const std::string name = "$(" + std::string(command.substr(0, 40)) + ")";
    const std::vector<ShellNode> nodes = parse_shell(command, "");
    if (nodes.empty() || nodes[0].kind != ShellNode::Kind::command || nodes[0].words.empty() ||
        nodes[0].words[0].text != "echo" || nodes.size() > 2)
    {
        return {"", name};
    }
    ShellValue said;
    for (std::size_t i = 1; i < nodes[0].words.size(); ++i)
    {
        for (const ShellField& field : fields(nodes[0].words[i]))
        {
            said.text += said.text.empty() ? "" : " ";
            join(said, field);
        }
    }
    if (nodes.size() == 1)
    {
        return said;
    }
    std::vector<ShellField> words;
    for (const ShellToken& token : nodes[1].words)
    {
        std::ranges::move(fields(token), std::back_inserter(words));
    }
    const bool cuts = nodes[1].joined == "|" && !words.empty() && words[0].text == "cut";
    return cuts ? ShellValue{cut(said.text, words), said.unknown} : ShellValue{"", name};
}

// What begins with the $ at `i`, which is moved behind it.
ShellValues::Expanded ShellValues::dollar(std::string_view raw, std::size_t& i)
{
    const char next = i + 1 < raw.size() ? raw[i + 1] : '\0';
    if (depth_ > kMostExpansions)
    {
        i = raw.size();
        return {{{"", "an expression in too many brackets"}}};
    }
    ++depth_;
    Expanded found;
    if (next == '(' || next == '{')
    {
        const std::size_t end = closing(raw, i + 1);
        const std::string_view inside = raw.substr(std::min(i + 2, end), end - std::min(i + 2, end));
        if (next == '{')
        {
            found = parameter(inside);
        }
        else if (inside.starts_with("(") && inside.ends_with(")"))
        {
            const Number number = arithmetic(inside.substr(1, inside.size() - 2));
            found.values.push_back({number.value ? std::to_string(*number.value) : "", number.unknown});
        }
        else
        {
            found.values.push_back(substituted(inside));
        }
        i = std::min(end + 1, raw.size());
    }
    else if (of_name(next) || next == '@' || next == '*' || next == '#')
    {
        std::size_t end = i + 2;
        while (starts_name(next) && end < raw.size() && of_name(raw[end]))
        {
            ++end;
        }
        found = parameter(raw.substr(i + 1, end - i - 1));
        i = end;
    }
    else
    {
        found.values.push_back({"$", ""});
        ++i;
    }
    --depth_;
    return found;
}

std::vector<ShellField> ShellValues::fields(const ShellToken& token)
{
    FieldBuilder builder(token.place);
    const std::string_view raw = spend(token.text.size()) ? std::string_view(token.text) : std::string_view();
    bool quotes = false;
    bool none = false; // "$@" without arguments is no word
    for (std::size_t i = 0; i < raw.size() && builder.fields.size() < SettingList::kMost;)
    {
        const char c = raw[i];
        if (c == '\'' && !quotes)
        {
            const std::size_t end = std::min(raw.find('\'', i + 1), raw.size());
            builder.add_quoted({std::string(raw.substr(i + 1, end - i - 1)), ""});
            i = end + 1;
        }
        else if (c == '"')
        {
            quotes = !quotes;
            builder.begin();
            ++i;
        }
        else if (c == '\\' && i + 1 < raw.size())
        {
            add_escaped(builder, raw[i + 1], quotes);
            i += 2;
        }
        else if (c == '$' || c == '`')
        {
            Expanded found;
            if (c == '$')
            {
                found = dollar(raw, i);
            }
            else
            {
                const std::size_t end = std::min(raw.find('`', i + 1), raw.size());
                found.values.push_back(substituted(raw.substr(i + 1, end - i - 1)));
                i = end + 1;
            }
            none = none || (found.many && found.values.empty());
            for (std::size_t n = 0; n < found.values.size() && spend(1 + found.values[n].text.size()); ++n)
            {
                if (n > 0)
                {
                    builder.next();
                }
                quotes ? builder.add_quoted(found.values[n]) : builder.add_split(found.values[n]);
            }
        }
        else
        {
            builder.add(c);
            ++i;
        }
    }
    const bool empty = none && builder.fields.size() == 1 && builder.fields[0].text.empty() &&
                       builder.fields[0].unknown.empty();
    return empty ? std::vector<ShellField>() : builder.fields;
}

ShellValue ShellValues::text(std::string_view raw)
{
    ShellValue whole;
    bool quotes = false;
    raw = spend(raw.size()) ? raw : std::string_view();
    for (std::size_t i = 0; i < raw.size() && whole.text.size() < kMostText;)
    {
        const char c = raw[i];
        if (c == '\'' && !quotes)
        {
            const std::size_t end = std::min(raw.find('\'', i + 1), raw.size());
            join(whole, {std::string(raw.substr(i + 1, end - i - 1)), ""});
            i = end + 1;
        }
        else if (c == '"')
        {
            quotes = !quotes;
            ++i;
        }
        else if (c == '\\' && i + 1 < raw.size())
        {
            const char next = raw[i + 1];
            if (next != '\n')
            {
                whole.text +=
                    quotes && std::string_view("$`\"\\").find(next) == std::string_view::npos ? "\\" : "";
                whole.text += next;
            }
            i += 2;
        }
        else if (c == '`')
        {
            const std::size_t end = std::min(raw.find('`', i + 1), raw.size());
            join(whole, substituted(raw.substr(i + 1, end - i - 1)));
            i = end + 1;
        }
        else if (c == '$')
        {
            const Expanded found = dollar(raw, i);
            for (std::size_t n = 0; n < found.values.size() && spend(1 + found.values[n].text.size()); ++n)
            {
                whole.text += n > 0 ? " " : "";
                join(whole, found.values[n]);
            }
        }
        else
        {
            whole.text += c;
            ++i;
        }
    }
    if (!whole.unknown.empty() && whole.text == stand_in(whole.unknown))
    {
        whole.text.clear(); // nothing else is in it
    }
    return whole;
}

ShellValues::Number ShellValues::arithmetic(std::string_view raw)
{
    ShellValue expanded = text(without_quotes(raw));
    std::string plain;
    for (std::size_t i = 0; i < expanded.text.size();)
    {
        std::size_t end = i;
        while (end < expanded.text.size() && of_name(expanded.text[end]))
        {
            ++end;
        }
        if (end > i && starts_name(expanded.text[i]))
        {
            const Expanded found = parameter(std::string_view(expanded.text).substr(i, end - i));
            expanded.unknown = expanded.unknown.empty() && !found.values.empty() ? found.values[0].unknown
                                                                                 : expanded.unknown;
            plain += found.values.empty() || found.values[0].text.empty() ? "0" : found.values[0].text;
        }
        else
        {
            end = std::max(end, i + 1);
            plain += expanded.text.substr(i, end - i);
        }
        i = end;
    }
    if (!expanded.unknown.empty())
    {
        return {{}, expanded.unknown};
    }
    const auto value = shell_arithmetic(plain);
    return {value, value ? "" : "$((" + std::string(raw.substr(0, 40)) + "))"};
}

} // namespace ringside
