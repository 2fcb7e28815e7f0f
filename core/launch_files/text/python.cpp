// Registries of configurations in Python, torchtitan's for one: functions that return a call of literals,
// names and calls. Parsed, never run: no import is followed, and what is neither literal, arithmetic of
// literals, a name set before nor a function of the same file is left out. One file, since tokens, calls and
// values of this grammar are of no use to anything else.
#include <fmt/format.h>

#include "core/launch_files/source.h"

#include <algorithm>
#include <charconv>

namespace ringside
{

namespace
{

using nlohmann::json;

constexpr int kDeepestCall = 64;
constexpr std::size_t kMostPythonTokens = 1'000'000;

struct PythonToken
{
    enum Kind
    {
        name,
        number,
        text,
        sign,
        line // the end of a logical line
    };
    Kind kind = line;
    std::string_view words;
    std::size_t at = 0;
    int row = 1;
    int column = 1;
};

bool starts_python_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit_of_python(char c)
{
    return c >= '0' && c <= '9';
}

class PythonTokens
{
public:
    explicit PythonTokens(std::string_view text) : text_(text) {}

    std::vector<PythonToken> all()
    {
        while (at_ < text_.size() && tokens_.size() < kMostPythonTokens)
        {
            next();
        }
        add(PythonToken::line, 0);
        return std::move(tokens_);
    }

private:
    void add(PythonToken::Kind kind, std::size_t length)
    {
        const int column = static_cast<int>(at_ - line_) + 1;
        tokens_.push_back({kind, text_.substr(at_, length), at_, row_, column});
        at_ += length;
    }
    std::size_t length_while(auto&& good) const
    {
        std::size_t end = at_;
        while (end < text_.size() && good(text_[end]))
        {
            ++end;
        }
        return end - at_;
    }

    void next()
    {
        const char c = text_[at_];
        if (c == '\n')
        {
            if (depth_ == 0)
            {
                add(PythonToken::line, 0);
            }
            ++at_;
            ++row_;
            line_ = at_;
        }
        else if (c == ' ' || c == '\t' || c == '\r' || c == '\\')
        {
            ++at_;
        }
        else if (c == '#')
        {
            at_ += length_while([](char each) { return each != '\n'; });
        }
        else if (c == '"' || c == '\'')
        {
            string(c);
        }
        else if (starts_python_name(c))
        {
            add(PythonToken::name,
                length_while([](char each) { return starts_python_name(each) || is_digit_of_python(each); }));
        }
        else if (is_digit_of_python(c))
        {
            add(PythonToken::number, number_length());
        }
        else
        {
            depth_ += std::string_view("([{").find(c) != std::string_view::npos ? 1 : 0;
            depth_ -= depth_ > 0 && std::string_view(")]}").find(c) != std::string_view::npos ? 1 : 0;
            const bool two = text_.substr(at_, 2) == "**" || text_.substr(at_, 2) == "//" ||
                             text_.substr(at_, 2) == "->" || text_.substr(at_, 2) == "==";
            add(PythonToken::sign, two ? 2 : 1);
        }
    }

    // 1_000, 8e-4, 0.95; the sign of an exponent belongs to it.
    std::size_t number_length() const
    {
        std::size_t end = at_;
        while (end < text_.size())
        {
            const char c = text_[end];
            const bool exponent = end > at_ && (text_[end - 1] == 'e' || text_[end - 1] == 'E');
            if (!is_digit_of_python(c) && !starts_python_name(c) && c != '.' &&
                !(exponent && (c == '-' || c == '+')))
            {
                break;
            }
            ++end;
        }
        return end - at_;
    }

    void string(char quote)
    {
        const std::string three(3, quote);
        const bool is_long = text_.substr(at_, 3) == three;
        std::size_t end = at_ + (is_long ? 3 : 1);
        while (end < text_.size() && !(is_long ? text_.substr(end, 3) == three : text_[end] == quote))
        {
            end += text_[end] == '\\' ? 2 : 1;
        }
        end = std::min(text_.size(), end + (is_long ? 3 : 1));
        const std::size_t length = end - at_;
        const auto rows = static_cast<int>(std::ranges::count(text_.substr(at_, length), '\n'));
        add(PythonToken::text, length);
        row_ += rows;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 0;
    int row_ = 1;
    int depth_ = 0;
    std::vector<PythonToken> tokens_;
};

struct PythonValue
{
    json value;         // null: None, or not known
    bool known = false; // of value
    std::string callee; // "Trainer.Config"; empty: no call
    std::vector<PythonValue> list;
    std::vector<std::string> names; // of arguments that have one, and their
    std::vector<PythonValue> values;
    std::string raw;
    FilePlace place;
};

// One function: what it sets by path, with the value's text where it is a call.
using PythonSettings = std::vector<Setting>;

class PythonRegistry
{
public:
    PythonRegistry(std::string_view text, std::string file)
        : text_(text), file_(std::move(file)), tokens_(PythonTokens(text).all())
    {
        for (std::size_t i = 0; i + 1 < tokens_.size(); ++i)
        {
            const bool top = tokens_[i].column == 1 && (i == 0 || tokens_[i - 1].kind == PythonToken::line);
            if (top && tokens_[i].words == "def" && tokens_[i + 1].kind == PythonToken::name)
            {
                functions_.emplace_back(std::string(tokens_[i + 1].words), i + 2);
            }
        }
    }

    SettingList all()
    {
        SettingList settings;
        for (const auto& [name, begin] : functions_)
        {
            for (Setting setting : settings_of(name, 0))
            {
                setting.name = name + "/" + setting.name;
                settings.add(std::move(setting));
            }
        }
        return settings;
    }

private:
    const PythonToken& now() const { return tokens_[std::min(at_, tokens_.size() - 1)]; }
    bool is(std::string_view sign) const { return now().kind == PythonToken::sign && now().words == sign; }
    bool take(std::string_view sign)
    {
        const bool there = is(sign);
        at_ += there ? 1 : 0;
        return there;
    }
    void skip_line()
    {
        while (at_ + 1 < tokens_.size() && now().kind != PythonToken::line)
        {
            ++at_;
        }
        ++at_;
    }

    PythonSettings settings_of(const std::string& name, int depth)
    {
        const auto found = std::ranges::find(functions_, name, &std::pair<std::string, std::size_t>::first);
        if (found == functions_.end() || depth > 8)
        {
            return {};
        }
        const std::size_t before = at_;
        auto variables = std::move(variables_);
        variables_.clear();
        at_ = found->second;
        skip_line(); // the arguments
        PythonSettings settings;
        while (at_ + 1 < tokens_.size())
        {
            if (now().kind == PythonToken::line)
            {
                ++at_;
            }
            else if (now().column == 1)
            {
                break;
            }
            else
            {
                statement(settings, depth);
            }
        }
        at_ = before;
        variables_ = std::move(variables);
        return settings;
    }

    void statement(PythonSettings& settings, int depth)
    {
        if (now().words == "return")
        {
            ++at_;
            const PythonValue value = expression(0);
            collect(value, "", settings, depth);
            skip_line();
            return;
        }
        if (now().kind != PythonToken::name)
        {
            skip_line();
            return;
        }
        std::string path(now().words);
        ++at_;
        while (take("."))
        {
            path += "." + std::string(now().words);
            ++at_;
        }
        if (take("="))
        {
            const PythonValue value = expression(0);
            const std::size_t dot = path.find('.');
            if (dot == std::string::npos)
            {
                collect_base(value, settings, depth);
                variables_[path] = value;
            }
            else
            {
                collect(value, path.substr(dot + 1), settings, depth);
            }
        }
        skip_line();
    }

    // "config = llama3_8b()": what that function sets.
    // "config = llama3_8b()": what that function sets, or its name where another file has it.
    void collect_base(const PythonValue& value, PythonSettings& settings, int depth)
    {
        if (value.callee.empty())
        {
            return;
        }
        const PythonSettings base = settings_of(value.callee, depth + 1);
        settings.insert(settings.end(), base.begin(), base.end());
        if (base.empty() && value.names.empty() && value.list.empty())
        {
            settings.push_back({"base", value.callee, value.place});
        }
    }

    void collect(const PythonValue& value, const std::string& path, PythonSettings& settings, int depth)
    {
        if (path.empty() && !value.callee.empty() && value.names.empty())
        {
            collect_base(value, settings, depth);
        }
        if (!path.empty() && (value.known || !value.callee.empty()))
        {
            const bool call = !value.callee.empty();
            settings.push_back({path, call ? json(value.raw) : value.value, value.place});
        }
        if (!value.callee.empty() && !value.list.empty() && value.list.front().known)
        {
            settings.push_back({path + ".0", value.list.front().value, value.place});
        }
        for (std::size_t i = 0; i < value.names.size(); ++i)
        {
            const std::string& name = value.names[i];
            collect(value.values[i], path.empty() ? name : path + "." + name, settings, depth);
        }
    }

    PythonValue expression(int depth)
    {
        PythonValue value = term(depth);
        while (is("+") || is("-") || is("*") || is("/") || is("//"))
        {
            const std::string_view sign = now().words;
            ++at_;
            const PythonValue other = term(depth);
            const bool numbers = value.value.is_number() && other.value.is_number();
            value.known = numbers && value.known && other.known;
            if (value.known)
            {
                value.value = calculated(value.value, sign, other.value);
            }
        }
        // "a if b else c", comparisons and comprehensions are not known.
        if (now().kind == PythonToken::name && depth < kDeepestCall &&
            (now().words == "if" || now().words == "for" || now().words == "and" || now().words == "or" ||
             now().words == "in" || now().words == "is"))
        {
            value.known = false;
            skip_to_end_of_argument();
        }
        return value;
    }

    static json calculated(const json& a, std::string_view sign, const json& b)
    {
        const double x = a.get<double>();
        const double y = b.get<double>();
        const double z = sign == "+" ? x + y : sign == "-" ? x - y : sign == "*" ? x * y : y == 0 ? 0 : x / y;
        const bool whole =
            a.is_number_integer() && b.is_number_integer() && sign != "/" && std::abs(z) < 9e15;
        return whole ? json(static_cast<std::int64_t>(z)) : json(z);
    }

    void skip_to_end_of_argument()
    {
        int depth = 0;
        while (at_ + 1 < tokens_.size() && now().kind != PythonToken::line)
        {
            if (depth == 0 && (is(",") || is(")") || is("]") || is("}")))
            {
                return;
            }
            depth += is("(") || is("[") || is("{") ? 1 : 0;
            depth -= is(")") || is("]") || is("}") ? 1 : 0;
            ++at_;
        }
    }

    PythonValue term(int depth)
    {
        PythonValue value;
        const PythonToken& token = now();
        const std::size_t begin = token.at;
        value.place = {file_, token.row, token.column};
        if (depth > kDeepestCall)
        {
            skip_to_end_of_argument();
            return value;
        }
        if (token.kind == PythonToken::number || token.kind == PythonToken::text)
        {
            value.value = literal(token);
            value.known = true;
            ++at_;
        }
        else if (take("-"))
        {
            value = term(depth + 1);
            value.known = value.known && value.value.is_number();
            value.value = value.known ? calculated(0, "-", value.value) : json();
        }
        else if (take("[") || take("("))
        {
            value.list = entries(depth, nullptr);
            value.known = std::ranges::all_of(value.list, &PythonValue::known);
            value.value = json::array();
            for (const PythonValue& each : value.list)
            {
                value.value.push_back(each.value);
            }
            // A value in brackets is that value.
            if (value.list.size() == 1 && text_[begin] == '(')
            {
                value = PythonValue(value.list.front());
            }
        }
        else if (token.kind == PythonToken::name)
        {
            value = named(depth);
            value.place = {file_, token.row, token.column};
        }
        else
        {
            skip_to_end_of_argument();
        }
        const std::size_t end = at_ > 0 ? tokens_[at_ - 1].at + tokens_[at_ - 1].words.size() : begin;
        value.raw = std::string(text_.substr(begin, end > begin ? end - begin : 0));
        return value;
    }

    static json literal(const PythonToken& token)
    {
        if (token.kind == PythonToken::text)
        {
            std::string_view inner = token.words;
            const std::size_t quotes =
                inner.size() >= 6 && inner[0] == inner[1] && inner[1] == inner[2] ? 3 : 1;
            return inner.size() >= 2 * quotes
                       ? json(std::string(inner.substr(quotes, inner.size() - 2 * quotes)))
                       : json("");
        }
        return typed(token.words);
    }

    // A name with its attributes; a call where brackets follow.
    PythonValue named(int depth)
    {
        PythonValue value;
        std::string name(now().words);
        ++at_;
        while (take("."))
        {
            name += "." + std::string(now().words);
            ++at_;
        }
        if (take("("))
        {
            value.callee = name;
            value.list = entries(depth, &value);
            while (take(".")) // "Config().build()"
            {
                ++at_;
            }
            return value;
        }
        if (name == "True" || name == "False" || name == "None")
        {
            value.value = name == "None" ? json("None") : json(name == "True");
            value.known = true;
            return value;
        }
        const auto found = variables_.find(name);
        return found == variables_.end() ? value : found->second;
    }

    // Up to the closing bracket; `call` takes those with a name.
    std::vector<PythonValue> entries(int depth, PythonValue* call)
    {
        std::vector<PythonValue> list;
        while (at_ + 1 < tokens_.size() && !is(")") && !is("]") && now().kind != PythonToken::line)
        {
            const std::size_t before = at_;
            const bool keyword = call != nullptr && now().kind == PythonToken::name &&
                                 at_ + 1 < tokens_.size() && tokens_[at_ + 1].words == "=" &&
                                 tokens_[at_ + 1].kind == PythonToken::sign;
            if (keyword)
            {
                call->names.emplace_back(now().words);
                at_ += 2;
                PythonValue value = expression(depth + 1);
                call->values.push_back(std::move(value));
            }
            else
            {
                list.push_back(expression(depth + 1));
            }
            skip_to_end_of_argument();
            if (!take(",") && at_ == before)
            {
                ++at_;
            }
        }
        ++at_;
        return list;
    }

    std::string_view text_;
    std::string file_;
    std::vector<PythonToken> tokens_;
    std::size_t at_ = 0;
    std::vector<std::pair<std::string, std::size_t>> functions_; // and the token behind the name
    std::map<std::string, PythonValue> variables_;
};

} // namespace

Result<LaunchSource> read_python(std::string_view text, const std::string& file)
{
    LaunchSource source{.format = SourceFormat::python, .file = file, .text = std::string(text)};
    source.settings = PythonRegistry(text, file).all();
    return source;
}

} // namespace ringside
