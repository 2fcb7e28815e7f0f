#include "core/launch_files/shell/shell_syntax.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr int kMostNested = 60;

class ShellParser
{
public:
    ShellParser(std::vector<ShellToken> tokens, std::vector<std::string> heres)
        : tokens_(std::move(tokens)), heres_(std::move(heres))
    {
    }

    std::vector<ShellNode> script()
    {
        std::vector<ShellNode> all;
        while (!at_end())
        {
            auto some = list({});
            std::ranges::move(some, std::back_inserter(all));
            take(); // what closes nothing
        }
        return all;
    }

private:
    using Words = std::initializer_list<std::string_view>;

    const ShellToken& now() const { return tokens_[std::min(i_, tokens_.size() - 1)]; }
    bool at_end() const { return now().kind == ShellToken::Kind::end; }
    ShellToken take()
    {
        const ShellToken token = now();
        i_ += at_end() ? 0 : 1;
        return token;
    }
    bool is_word(Words words) const
    {
        return now().kind == ShellToken::Kind::word && std::ranges::find(words, now().text) != words.end();
    }
    bool is_operation(Words words) const
    {
        return now().kind == ShellToken::Kind::operation &&
               std::ranges::find(words, now().text) != words.end();
    }
    bool take_word(Words words)
    {
        const bool there = is_word(words);
        i_ += there ? 1 : 0;
        return there;
    }
    void skip_lines()
    {
        while (is_operation({"\n", ";", "&"}))
        {
            ++i_;
        }
    }

    // Commands up to one of these words, which is not taken.
    std::vector<ShellNode> list(Words ends)
    {
        std::vector<ShellNode> nodes;
        std::string joined;
        while (true)
        {
            skip_lines();
            if (at_end() || is_word(ends) || is_operation({")", ";;", ";&", ";;&"}))
            {
                return nodes;
            }
            const std::size_t before = i_;
            ShellNode node = statement();
            node.joined = joined;
            nodes.push_back(std::move(node));
            joined = is_operation({"&&", "||", "|", "|&"}) ? take().text : "";
            if (i_ == before)
            {
                ++i_; // what no statement begins with
            }
        }
    }

    ShellNode statement()
    {
        ShellNode node{.place = now().place};
        if (depth_ > kMostNested)
        {
            take();
            return node;
        }
        ++depth_;
        node.negated = take_word({"!"});
        if (take_word({"if"}))
        {
            branch(node);
        }
        else if (is_word({"while", "until"}))
        {
            node.negated = take().text == "until";
            node.kind = ShellNode::Kind::repeat;
            node.condition = list({"do"});
            loop_body(node);
        }
        else if (take_word({"for", "select"}))
        {
            each(node);
        }
        else if (take_word({"case"}))
        {
            choice(node);
        }
        else if (take_word({"{"}))
        {
            node.kind = ShellNode::Kind::group;
            node.body = list({"}"});
            take_word({"}"});
        }
        else if (is_operation({"("}))
        {
            take();
            node.kind = ShellNode::Kind::group;
            node.body = list({});
            take();
        }
        else
        {
            command(node);
        }
        redirects(node);
        --depth_;
        return node;
    }

    void branch(ShellNode& node)
    {
        node.kind = ShellNode::Kind::branch;
        node.condition = list({"then"});
        take_word({"then"});
        node.body = list({"elif", "else", "fi"});
        if (take_word({"elif"}))
        {
            ShellNode inner{.place = now().place};
            branch(inner); // takes the one "fi"
            node.otherwise.push_back(std::move(inner));
            return;
        }
        if (take_word({"else"}))
        {
            node.otherwise = list({"fi"});
        }
        take_word({"fi"});
    }

    void loop_body(ShellNode& node)
    {
        skip_lines();
        take_word({"do"});
        node.body = list({"done"});
        take_word({"done"});
    }

    void each(ShellNode& node)
    {
        node.kind = ShellNode::Kind::each;
        node.words.push_back(take());
        skip_lines();
        if (take_word({"in"}))
        {
            while (now().kind == ShellToken::Kind::word)
            {
                node.words.push_back(take());
            }
        }
        else
        {
            node.words.push_back({ShellToken::Kind::word, "\"$@\"", node.place, {}});
        }
        loop_body(node);
    }

    void choice(ShellNode& node)
    {
        node.kind = ShellNode::Kind::choice;
        node.words.push_back(take());
        skip_lines();
        take_word({"in"});
        while (true)
        {
            skip_lines();
            if (at_end() || take_word({"esac"}))
            {
                return;
            }
            const std::size_t before = i_;
            ShellCase one;
            while (!at_end() && !is_operation({")"}))
            {
                const ShellToken token = take();
                if (token.kind == ShellToken::Kind::word)
                {
                    one.patterns.push_back(token.text);
                }
            }
            take();
            one.body = list({"esac"});
            if (is_operation({";;", ";&", ";;&"}))
            {
                take();
            }
            node.cases.push_back(std::move(one));
            if (i_ == before)
            {
                return;
            }
        }
    }

    void command(ShellNode& node)
    {
        const bool keyword = take_word({"function"});
        while (!at_end() && !is_operation({"\n", ";", "&", "|", "|&", "&&", "||", ")", ";;", ";&", ";;&"}))
        {
            if (is_operation({"("}))
            {
                take();
                if (node.words.size() == 1 && is_operation({")"}))
                {
                    take();
                    function(node);
                    return;
                }
                continue;
            }
            if (now().kind == ShellToken::Kind::redirect)
            {
                redirect(node);
                continue;
            }
            if (keyword && is_word({"{"}))
            {
                function(node);
                return;
            }
            node.words.push_back(take());
        }
        if (!node.words.empty() && node.words[0].text == "[[")
        {
            test(node);
        }
        else if (!node.words.empty() && node.words[0].text.starts_with("(("))
        {
            node.kind = ShellNode::Kind::arithmetic;
        }
    }

    // && and || belong to a test up to its "]]".
    void test(ShellNode& node)
    {
        node.kind = ShellNode::Kind::test;
        while (!at_end() && node.words.back().text != "]]" && !is_operation({"\n", ";"}))
        {
            ShellToken token = take();
            if (token.kind == ShellToken::Kind::operation || token.kind == ShellToken::Kind::redirect)
            {
                token.kind = ShellToken::Kind::word;
            }
            node.words.push_back(std::move(token));
        }
    }

    void function(ShellNode& node)
    {
        node.kind = ShellNode::Kind::function;
        skip_lines();
        if (take_word({"{"}))
        {
            node.body = list({"}"});
            take_word({"}"});
        }
    }

    void redirect(ShellNode& node)
    {
        const ShellToken token = take();
        if (token.text == "<<")
        {
            node.here.push_back(next_here_ < heres_.size() ? heres_[next_here_] : std::string());
            ++next_here_;
        }
        else if (now().kind == ShellToken::Kind::word)
        {
            take();
        }
    }
    void redirects(ShellNode& node)
    {
        while (now().kind == ShellToken::Kind::redirect)
        {
            redirect(node);
        }
    }

    std::vector<ShellToken> tokens_;
    std::vector<std::string> heres_;
    std::size_t i_ = 0;
    std::size_t next_here_ = 0;
    int depth_ = 0;
};

} // namespace

std::vector<ShellNode> parse_shell(std::string_view text, const std::string& file)
{
    LexedShell lexed = lex_shell(text, file);
    return ShellParser(std::move(lexed.tokens), std::move(lexed.heres)).script();
}

} // namespace ringside
