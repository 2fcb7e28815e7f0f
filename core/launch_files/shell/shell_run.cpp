#include "core/launch_files/shell/shell_run.h"

#include <fmt/format.h>

#include "core/launch_files/shell/shell_values.h"

#include <algorithm>
#include <array>
#include <deque>

namespace ringside
{

namespace
{

constexpr int kMostSteps = 20'000;
constexpr int kMostTurns = 200; // of one loop
constexpr int kMostCalls = 30;  // one in another
constexpr std::size_t kMostCommands = 2'000;

// How a command ends, as far as that is known.
enum class Truth
{
    no,
    yes,
    unknown
};
Truth truth(bool is)
{
    return is ? Truth::yes : Truth::no;
}
Truth opposite(Truth of)
{
    return of == Truth::unknown ? of : truth(of == Truth::no);
}

enum class Flow
{
    on,
    leave_loop,
    next_turn,
    leave_function
};

class ShellRun
{
public:
    ShellValues values;
    ShellResult result;

    void run(const std::vector<ShellNode>& nodes)
    {
        Truth last = Truth::yes;
        for (const ShellNode& node : nodes)
        {
            if (flow_ != Flow::on || ++steps_ > kMostSteps)
            {
                return;
            }
            const bool skipped = node.joined == "|" || node.joined == "|&" ||
                                 (node.joined == "&&" && last != Truth::yes) ||
                                 (node.joined == "||" && last == Truth::yes);
            if (!skipped)
            {
                last = run(node);
                last = node.negated && node.kind != ShellNode::Kind::repeat ? opposite(last) : last;
            }
        }
        last_ = last;
    }

private:
    Truth run(const ShellNode& node)
    {
        using Kind = ShellNode::Kind;
        switch (node.kind)
        {
        case Kind::command:
            return command(node);
        case Kind::test:
            return test(node.words, 1, node.words.size() - 1);
        case Kind::arithmetic:
            return number_truth(node.words[0].text);
        case Kind::branch:
            branch(node);
            return Truth::yes;
        case Kind::each:
            each(node);
            return Truth::yes;
        case Kind::repeat:
            repeat(node);
            return Truth::yes;
        case Kind::choice:
            choice(node);
            return Truth::yes;
        case Kind::function:
            functions_[node.words.empty() ? "" : node.words[0].text] = &node.body;
            return Truth::yes;
        case Kind::group:
            run(node.body);
            return last_;
        }
        return Truth::yes;
    }

    Truth condition(const std::vector<ShellNode>& nodes)
    {
        asked_.clear();
        run(nodes);
        return last_;
    }

    void branch(const ShellNode& node)
    {
        const Truth is = condition(node.condition);
        if (is == Truth::unknown && !asked_.empty())
        {
            result.messages.push_back(
                fmt::format("{}: depends on {}, which is known only when it runs; taken as not so",
                            to_text(node.place), asked_));
        }
        run(is == Truth::yes ? node.body : node.otherwise);
    }

    bool leaves_loop()
    {
        const bool leaves = flow_ == Flow::leave_loop || flow_ == Flow::leave_function;
        flow_ = flow_ == Flow::leave_function ? flow_ : Flow::on;
        return leaves;
    }

    void each(const ShellNode& node)
    {
        const std::string name = node.words[0].text;
        std::vector<ShellField> entries;
        for (std::size_t i = 1; i < node.words.size(); ++i)
        {
            std::ranges::move(values.fields(node.words[i]), std::back_inserter(entries));
        }
        for (std::size_t i = 0; i < std::min<std::size_t>(entries.size(), kMostTurns); ++i)
        {
            values.set(name, entries[i]);
            run(node.body);
            if (leaves_loop())
            {
                return;
            }
        }
    }

    void repeat(const ShellNode& node)
    {
        for (int turn = 0; turn < kMostTurns; ++turn)
        {
            const Truth is = condition(node.condition);
            if ((node.negated ? opposite(is) : is) != Truth::yes)
            {
                return;
            }
            run(node.body);
            if (leaves_loop())
            {
                return;
            }
        }
    }

    void choice(const ShellNode& node)
    {
        const ShellValue subject = values.text(node.words[0].text);
        for (const ShellCase& one : node.cases)
        {
            for (const std::string& pattern : one.patterns)
            {
                if (matches_glob(values.text(pattern).text, subject.text))
                {
                    run(one.body);
                    return;
                }
            }
        }
    }

    Truth number_truth(std::string_view brackets)
    {
        // "((" and "))" around it, as one word.
        brackets.remove_prefix(std::min<std::size_t>(2, brackets.size()));
        brackets.remove_suffix(std::min<std::size_t>(2, brackets.size()));
        const auto equals = brackets.find('=');
        const bool assigns = equals != std::string_view::npos && equals > 0 &&
                             std::string_view("=!<>").find(brackets[equals - 1]) == std::string_view::npos &&
                             !brackets.substr(equals).starts_with("==");
        if (assigns)
        {
            std::string name(brackets.substr(0, equals));
            std::erase(name, ' ');
            const auto number = values.arithmetic(brackets.substr(equals + 1));
            values.set(name, {number.value ? std::to_string(*number.value) : "", number.unknown});
            return Truth::yes;
        }
        const auto number = values.arithmetic(brackets);
        ask(number.unknown);
        return number.value ? truth(*number.value != 0) : Truth::unknown;
    }

    void ask(const std::string& unknown) { asked_ = asked_.empty() ? unknown : asked_; }

    // words[begin, end) of [ ... ]: "or" of "and"s, each with "!" and one or two operands.
    Truth test(const std::vector<ShellToken>& words, std::size_t begin, std::size_t end)
    {
        constexpr std::size_t kMostWords = 200;
        if (end > begin + kMostWords)
        {
            return Truth::unknown;
        }
        for (const auto& [first, second, wins] :
             {std::tuple("||", "-o", Truth::yes), std::tuple("&&", "-a", Truth::no)})
        {
            for (std::size_t i = begin; i < end; ++i)
            {
                if (words[i].text == first || (words[i].text == second && i > begin + 1))
                {
                    const Truth left = test(words, begin, i);
                    const Truth right = test(words, i + 1, end);
                    return left == wins || right == wins                       ? wins
                           : left == Truth::unknown || right == Truth::unknown ? Truth::unknown
                                                                               : right;
                }
            }
        }
        if (begin < end && words[begin].text == "!")
        {
            return opposite(test(words, begin + 1, end));
        }
        return one_test(words, begin, end);
    }

    Truth one_test(const std::vector<ShellToken>& words, std::size_t begin, std::size_t end)
    {
        if (end <= begin)
        {
            return Truth::no;
        }
        const ShellValue left = values.text(words[begin].text);
        if (end - begin == 1)
        {
            return truth(!left.text.empty());
        }
        const ShellValue last = values.text(words[end - 1].text);
        const std::string& unary = words[begin].text;
        if (end - begin == 2 && (unary == "-z" || unary == "-n" || unary == "-v"))
        {
            const bool is_empty = unary == "-v" ? !values.variables.contains(last.text) : last.text.empty();
            return truth(is_empty == (unary == "-z"));
        }
        if (end - begin != 3)
        {
            return Truth::unknown; // a file
        }
        return compare(left, words[begin + 1].text, last);
    }

    Truth compare(const ShellValue& left, const std::string& how, const ShellValue& right)
    {
        constexpr std::array<std::string_view, 6> kNumbers{"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
        ask(left.unknown.empty() ? right.unknown : left.unknown);
        const auto found = std::ranges::find(kNumbers, how);
        if (found != kNumbers.end())
        {
            const auto a = values.arithmetic(left.text.empty() ? "0" : left.text).value;
            const auto b = values.arithmetic(right.text.empty() ? "0" : right.text).value;
            if (!left.unknown.empty() || !right.unknown.empty() || !a || !b)
            {
                return Truth::unknown;
            }
            const std::array<bool, 6> is{*a == *b, *a != *b, *a<*b, *a <= *b, *a> * b, *a >= *b};
            return truth(is.at(static_cast<std::size_t>(found - kNumbers.begin())));
        }
        const auto partly = [](const ShellValue& v) { return !v.unknown.empty() && !v.text.empty(); };
        if ((how == "==" || how == "=" || how == "!=") && !partly(left) && !partly(right))
        {
            return truth(matches_glob(right.text, left.text) == (how != "!="));
        }
        return Truth::unknown;
    }

    Truth command(const ShellNode& node)
    {
        heres(node);
        std::size_t first = 0;
        while (first < node.words.size() && values.assign(node.words[first]))
        {
            ++first;
        }
        if (first == node.words.size())
        {
            return Truth::yes;
        }
        const std::string& name = node.words[first].text;
        if (name == "[" || name == "test")
        {
            const bool closed = name == "[" && node.words.back().text == "]";
            return test(node.words, first + 1, node.words.size() - (closed ? 1 : 0));
        }
        if (name == "export" || name == "declare" || name == "local" || name == "readonly" ||
            name == "typeset")
        {
            declare(node, first + 1);
            return Truth::yes;
        }
        ShellCommand command;
        for (std::size_t i = first; i < node.words.size(); ++i)
        {
            std::ranges::move(values.fields(node.words[i]), std::back_inserter(command.words));
        }
        return command.words.empty() ? Truth::yes : start(std::move(command));
    }

    void heres(const ShellNode& node)
    {
        for (const std::string& here : node.here)
        {
            std::string quoted = here; // quotes mean nothing in it
            for (std::size_t at = quoted.find('"'); at != std::string::npos; at = quoted.find('"', at + 2))
            {
                quoted.replace(at, 1, "\\\"");
            }
            result.heres.push_back(values.text("\"" + quoted + "\"").text);
        }
    }

    void declare(const ShellNode& node, std::size_t first)
    {
        for (std::size_t i = first; i < node.words.size(); ++i)
        {
            if (values.assign(node.words[i]))
            {
                continue;
            }
            const ShellValue word = values.text(node.words[i].text);
            if (const auto equals = word.text.find('='); equals != std::string::npos && word.unknown.empty())
            {
                values.set(word.text.substr(0, equals), {word.text.substr(equals + 1), ""});
            }
        }
    }

    Truth start(ShellCommand command)
    {
        const std::string name = command.words[0].text;
        if (const auto function = functions_.find(name); function != functions_.end() && calls_ < kMostCalls)
        {
            call(*function->second, command);
            return last_;
        }
        if (name == "eval" && calls_ < kMostCalls)
        {
            evaluate(command);
            return Truth::yes;
        }
        if (name == "shift")
        {
            const std::int64_t by =
                command.words.size() > 1 ? whole_number(command.words[1].text).value_or(1) : 1;
            const auto n = std::min<std::size_t>(values.positional.size(),
                                                 static_cast<std::size_t>(std::max<std::int64_t>(0, by)));
            values.positional.erase(values.positional.begin(),
                                    values.positional.begin() + static_cast<std::ptrdiff_t>(n));
            return truth(n > 0);
        }
        if (name == "break" || name == "continue" || name == "return")
        {
            flow_ = name == "break"      ? Flow::leave_loop
                    : name == "continue" ? Flow::next_turn
                                         : Flow::leave_function;
            flow_ = name == "return" && calls_ == 0 ? Flow::on : flow_;
            return Truth::yes;
        }
        return other(name, std::move(command));
    }

    Truth other(const std::string& name, ShellCommand command)
    {
        const bool more = command.words.size() > 1;
        if (name == "source" || name == ".")
        {
            result.messages.push_back(
                fmt::format("{} is read by the script and is not here: it may change what follows",
                            more ? command.words[1].text : name));
        }
        else if (name == "set" && more && command.words[1].text == "--")
        {
            values.positional.assign(command.words.begin() + 2, command.words.end());
        }
        else if (name == "unset" && more)
        {
            values.variables.erase(command.words[1].text);
        }
        else if (name == "let" && more)
        {
            number_truth("((" + command.words[1].text + "))");
        }
        else if (name == "read" && more)
        {
            values.set(command.words.back().text, {"", command.words.back().text});
        }
        else if (name == "false")
        {
            return Truth::no;
        }
        else if (!is_quiet(name) && result.commands.size() < kMostCommands)
        {
            result.commands.push_back(std::move(command));
        }
        return Truth::yes;
    }

    // Commands that start nothing.
    static bool is_quiet(std::string_view name)
    {
        constexpr std::array<std::string_view, 20> kQuiet{
            "echo", "printf", "cd",   "mkdir", "true", ":",  "exit",  "set",   "ulimit", "module",
            "sed",  "cat",    "grep", "rm",    "cp",   "mv", "conda", "sleep", "wait",   "pip"};
        return std::ranges::find(kQuiet, name) != kQuiet.end();
    }

    void call(const std::vector<ShellNode>& body, const ShellCommand& command)
    {
        ++calls_;
        std::vector<ShellValue> before = std::move(values.positional);
        values.positional.assign(command.words.begin() + 1, command.words.end());
        run(body);
        flow_ = flow_ == Flow::leave_function ? Flow::on : flow_;
        values.positional = std::move(before);
        --calls_;
    }

    void evaluate(const ShellCommand& command)
    {
        std::string text;
        for (std::size_t i = 1; i < command.words.size(); ++i)
        {
            text += (i > 1 ? " " : "") + command.words[i].text;
        }
        if (!values.spend(text.size()))
        {
            return;
        }
        ++calls_;
        evaluated_.push_back(parse_shell(text, command.words[0].place.file));
        run(evaluated_.back());
        --calls_;
    }

    std::map<std::string, const std::vector<ShellNode>*> functions_;
    std::deque<std::vector<ShellNode>> evaluated_; // stays, since functions point into it
    std::string asked_;
    Truth last_ = Truth::yes;
    Flow flow_ = Flow::on;
    int steps_ = 0;
    int calls_ = 0;
};

} // namespace

ShellResult run_shell(std::string_view text, const std::string& file,
                      const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& environment)
{
    const std::vector<ShellNode> nodes = parse_shell(text, file);
    ShellRun shell;
    for (const auto& [name, value] : environment)
    {
        shell.values.set(name, {value, ""});
    }
    for (const std::string& argument : arguments)
    {
        shell.values.positional.push_back({argument, ""});
    }
    shell.run(nodes);
    return std::move(shell.result);
}

} // namespace ringside
