// What a shell script would start, found without executing anything: variables, arrays, branches, loops and
// functions are followed; files, programs and the environment are not asked. What depends on those is marked
// with the name that only a run knows. Tests of files count as not so, and `exit` ends nothing.
#pragma once

#include "core/launch_files/shell/shell_syntax.h"

namespace ringside
{

struct ShellValue
{
    std::string text;
    std::string unknown; // the variable or command that only a run knows; empty: the text is known
};

struct ShellField : ShellValue
{
    FilePlace place;
};

struct ShellCommand
{
    std::vector<ShellField> words;
};

struct ShellResult
{
    std::vector<ShellCommand> commands; // programs in the order in which they would start
    std::vector<std::string> heres;     // here-documents, expanded
    std::vector<std::string> messages;
};

// `environment`: variables that are set before.
ShellResult run_shell(std::string_view text, const std::string& file,
                      const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& environment);

} // namespace ringside
