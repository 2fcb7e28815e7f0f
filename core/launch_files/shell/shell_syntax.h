// The structure of a shell script: commands, branches, loops and functions, as far as launch scripts have
// them. Words stay as they are written; shell_run.h expands them. What the grammar does not know is left out.
#pragma once

#include "core/launch_files/settings.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

struct ShellToken
{
    enum class Kind
    {
        word,
        array,     // NAME=( ... ) or NAME+=( ... ), its words in `entries`
        operation, // ; & | && || ( ) ;; and line ends, as "\n"
        redirect,  // > < >> 2>&1 &> |&, without what follows
        end
    };
    Kind kind = Kind::end;
    std::string text; // as it is written, quotes and all
    FilePlace place;
    std::vector<ShellToken> entries;
};

struct LexedShell
{
    std::vector<ShellToken> tokens;
    std::vector<std::string> heres; // texts of here-documents in the order of their <<
};
LexedShell lex_shell(std::string_view text, const std::string& file);

struct ShellNode;
struct ShellCase
{
    std::vector<std::string> patterns; // as they are written
    std::vector<ShellNode> body;
};
struct ShellNode
{
    enum class Kind
    {
        command,
        test,       // [[ ... ]], its words
        arithmetic, // (( ... )), its one word
        branch,     // if: condition, body, otherwise
        each,       // for NAME in WORDS: words[0] is the name
        repeat,     // while and until: condition, body
        choice,     // case: words[0] is the subject
        function,   // words[0] is the name
        group
    };
    Kind kind = Kind::command;
    std::string joined;   // what stands before it: "&&", "||", "|"; else empty
    bool negated = false; // after "!", and until
    FilePlace place;
    std::vector<ShellToken> words;
    std::vector<std::string> here; // texts of here-documents that it reads
    std::vector<ShellNode> condition;
    std::vector<ShellNode> body;
    std::vector<ShellNode> otherwise;
    std::vector<ShellCase> cases;
};

std::vector<ShellNode> parse_shell(std::string_view text, const std::string& file);

} // namespace ringside
