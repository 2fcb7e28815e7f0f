// Variables of a shell script, and its words expanded by them.
#pragma once

#include "core/launch_files/shell/shell_run.h"

#include <optional>
#include <set>

namespace ringside
{

struct ShellVariable
{
    std::vector<ShellValue> entries; // one, where it is no array
};

class ShellValues
{
public:
    std::map<std::string, ShellVariable, std::less<>> variables;
    std::vector<ShellValue> positional; // $1 ...

    // Words of the shell: split where they are not quoted.
    std::vector<ShellField> fields(const ShellToken& token);
    // One text, never split.
    ShellValue text(std::string_view raw);
    // A whole number of $(( )), or nothing with what it would depend on.
    struct Number
    {
        std::optional<std::int64_t> value;
        std::string unknown;
    };
    Number arithmetic(std::string_view raw);
    // NAME=value, NAME+=value, NAME[2]=value or NAME=( ... ); whether it is one.
    bool assign(const ShellToken& token);
    void set(const std::string& name, ShellValue value);
    // Whether there is so much work left: a script of a stranger may double its variables for ever.
    bool spend(std::size_t letters);

private:
    struct Expanded
    {
        std::vector<ShellValue> values;
        bool many = false; // "$@" and "${A[@]}": a field each, even quoted
    };
    Expanded dollar(std::string_view raw, std::size_t& i);
    Expanded parameter(std::string_view inside);
    Expanded named(std::string_view name, std::string_view index) const;
    void modify(Expanded& found, std::string_view operation, std::string_view name);
    ShellValue substring(const ShellValue& value, std::string_view operation);
    ShellValue substituted(std::string_view command);
    static void join(ShellValue& to, const ShellValue& more);

    int depth_ = 0;
    std::size_t spent_ = 0;
};

// An expression of whole numbers, as $(( )) has them; nothing where it is none.
std::optional<std::int64_t> shell_arithmetic(std::string_view text);
// Whether the text matches a pattern with * and ?.
bool matches_glob(std::string_view pattern, std::string_view text);

} // namespace ringside
