// Words and operators of a shell script. Quotes and expansions stay in their words as they are written.
#include "core/launch_files/shell/shell_syntax.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr int kMostQuoted = 60; // one quote or bracket in another
constexpr std::size_t kMostTokens = 400'000;

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool ends_word(char c)
{
    return is_blank(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '<' || c == '>' || c == '(' ||
           c == ')';
}

// NAME= or NAME+=, and what may stand for the name in a list.
bool begins_array(std::string_view word)
{
    if (!word.ends_with('='))
    {
        return false;
    }
    word.remove_suffix(word.ends_with("+=") ? 2 : 1);
    return !word.empty() &&
           std::ranges::all_of(word, [](char c)
                               { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; });
}

class ShellLexer
{
public:
    ShellLexer(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

    std::vector<ShellToken> tokens()
    {
        std::vector<ShellToken> all;
        while (all.size() < kMostTokens)
        {
            all.push_back(next(0));
            if (all.back().kind == ShellToken::Kind::end)
            {
                return all;
            }
        }
        all.push_back({});
        return all;
    }
    // Texts of here-documents in the order of their "<<".
    std::vector<std::string> heres;

private:
    char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
    bool more() const { return i_ < text_.size(); }
    void step()
    {
        if (text_[i_] == '\n')
        {
            ++line_;
            line_start_ = i_ + 1;
        }
        ++i_;
    }
    void skip_blanks()
    {
        while (more())
        {
            if (is_blank(at(i_)))
            {
                step();
            }
            else if (at(i_) == '\\' && (at(i_ + 1) == '\n' || (at(i_ + 1) == '\r' && at(i_ + 2) == '\n')))
            {
                step();
                step();
            }
            else if (at(i_) == '#')
            {
                while (more() && at(i_) != '\n')
                {
                    step();
                }
            }
            else
            {
                return;
            }
        }
    }
    FilePlace here() const { return {file_, line_, static_cast<int>(i_ - line_start_) + 1}; }

    ShellToken next(int depth)
    {
        skip_blanks();
        ShellToken token{.place = here()};
        if (!more())
        {
            return token;
        }
        const char c = at(i_);
        if (c == '\n')
        {
            step();
            take_heres();
            token.kind = ShellToken::Kind::operation;
            token.text = "\n";
            return token;
        }
        if (operation(token))
        {
            return token;
        }
        token.kind = ShellToken::Kind::word;
        token.text = word(depth);
        const bool number = !token.text.empty() &&
                            std::ranges::all_of(token.text, [](char d) { return d >= '0' && d <= '9'; });
        if (number && (at(i_) == '>' || at(i_) == '<')) // 2>&1
        {
            operation(token);
        }
        else if (at(i_) == '(' && begins_array(token.text) && depth < kMostQuoted)
        {
            step();
            array(token, depth);
        }
        return token;
    }

    bool operation(ShellToken& token)
    {
        constexpr std::array<std::string_view, 24> kOperations{
            "<<<", "<<-", "&>>", ";;&", "<<", ">>", "&>", ">&", "<&", "|&", "&&", "||",
            ";;",  ";&",  "((",  "<(",  ">(", ">|", "<",  ">",  "|",  "&",  ";",  "("};
        const std::string_view rest = text_.substr(i_);
        const auto found =
            std::ranges::find_if(kOperations, [&](std::string_view o) { return rest.starts_with(o); });
        std::string text = found != kOperations.end() ? std::string(*found)
                           : rest.starts_with(')')    ? ")"
                                                      : "";
        if (text.empty())
        {
            return false;
        }
        token.kind = ShellToken::Kind::operation;
        token.text = text;
        if (text == "((")
        {
            token.kind = ShellToken::Kind::word;
            token.text = enclosed();
            return true;
        }
        for (std::size_t n = 0; n < text.size(); ++n)
        {
            step();
        }
        if (text == "<<" || text == "<<-")
        {
            here_begins(text == "<<-");
            token.kind = ShellToken::Kind::redirect;
            token.text = "<<";
        }
        else if (text.find_first_of("<>") != std::string::npos)
        {
            token.kind = ShellToken::Kind::redirect;
        }
        return true;
    }

    void here_begins(bool tabs)
    {
        skip_blanks();
        std::string name = word(0);
        std::erase_if(name, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
        waiting_.push_back({name, tabs});
    }

    void take_heres()
    {
        for (const auto& [name, tabs] : waiting_)
        {
            std::string content;
            while (more())
            {
                const std::size_t end = std::min(text_.find('\n', i_), text_.size());
                std::string_view line = text_.substr(i_, end - i_);
                while (i_ < end)
                {
                    step();
                }
                if (more())
                {
                    step();
                }
                std::string_view bare = line;
                bare.remove_prefix(tabs ? std::min(bare.find_first_not_of('\t'), bare.size()) : 0);
                if (bare.ends_with('\r'))
                {
                    bare.remove_suffix(1);
                }
                if (bare == name)
                {
                    break;
                }
                content += std::string(line) + "\n";
            }
            heres.push_back(std::move(content));
        }
        waiting_.clear();
    }

    void array(ShellToken& token, int depth)
    {
        token.kind = ShellToken::Kind::array;
        while (more())
        {
            ShellToken entry = next(depth + 1);
            if (entry.kind == ShellToken::Kind::end ||
                (entry.kind == ShellToken::Kind::operation && entry.text == ")"))
            {
                return;
            }
            if (entry.kind == ShellToken::Kind::word)
            {
                token.entries.push_back(std::move(entry));
            }
        }
    }

    // The text up to what closes the bracket it begins with, quotes and brackets inside skipped.
    std::string enclosed()
    {
        ++nested_;
        const std::size_t begin = i_;
        int depth = 0;
        while (more())
        {
            const char c = at(i_);
            if (c == '\\' && i_ + 1 < text_.size())
            {
                step();
            }
            else if (c == '\'' || c == '"')
            {
                quoted(c);
                continue;
            }
            depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
            step();
            if (depth == 0)
            {
                break;
            }
        }
        --nested_;
        return std::string(text_.substr(begin, i_ - begin));
    }

    void quoted(char quote)
    {
        step();
        while (more() && at(i_) != quote)
        {
            if (quote == '"' && at(i_) == '\\' && i_ + 1 < text_.size())
            {
                step();
            }
            else if (quote == '"' && at(i_) == '$' && (at(i_ + 1) == '(' || at(i_ + 1) == '{') &&
                     nested_ < kMostQuoted)
            {
                step();
                enclosed();
                continue;
            }
            step();
        }
        if (more())
        {
            step();
        }
    }

    std::string word(int depth)
    {
        const std::size_t begin = i_;
        while (more() && !ends_word(at(i_)))
        {
            const char c = at(i_);
            if (c == '\\' && i_ + 1 < text_.size())
            {
                step();
                step();
            }
            else if (c == '\'' || c == '"' || c == '`')
            {
                quoted(c);
            }
            else if (c == '$' && (at(i_ + 1) == '(' || at(i_ + 1) == '{') && depth < kMostQuoted)
            {
                step();
                enclosed();
            }
            else
            {
                step();
            }
        }
        return std::string(text_.substr(begin, i_ - begin));
    }

    struct Waiting
    {
        std::string name;
        bool tabs = false;
    };

    std::string_view text_;
    std::string file_;
    std::size_t i_ = 0;
    std::size_t line_start_ = 0;
    int line_ = 1;
    int nested_ = 0;
    std::vector<Waiting> waiting_;
};

} // namespace

LexedShell lex_shell(std::string_view text, const std::string& file)
{
    ShellLexer lexer(text, file);
    std::vector<ShellToken> tokens = lexer.tokens();
    return {std::move(tokens), std::move(lexer.heres)};
}

} // namespace ringside
