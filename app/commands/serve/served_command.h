// A command that runs inside a server as it would on a command line of its own: words and standard input in;
// status, standard output and standard error out.
#pragma once

#include "app/commands/commands.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI
{
class Option;
}

namespace ringside
{

// What the commands of a server are given: the program, of which the table and the assets are used.
struct ServerOptions : CommonOptions
{
    const Program* program = nullptr;
};

struct ServedAnswer
{
    int status = kBadInput;
    std::string out;
    std::string errors;
};

// Runs the command that the first word names. With `json` it gets --json where it has that and its words ask
// for no other form. Whatever it throws is a fault of its answer.
ServedAnswer run_served(const Program& program, std::vector<std::string> words, const std::string& input,
                        bool json);

// Writes into `answer`, whose room is used again, what `serve` answers to a line of one request, or of a list
// of them.
void serve_line(const Program& program, const std::string& line, std::string& answer);

// Calls back with the command that the words name, as it is declared; false where there is none.
bool with_command(const Program& program, const std::vector<std::string>& words,
                  const std::function<void(CLI::App&)>& look);

// A document that a command printed, on one line: the same bytes but for the breaks and what follows them.
std::string on_one_line(std::string_view document);

// What strangers' text is in an answer of JSON: bytes that are no UTF-8 are replaced.
std::string dumped(const nlohmann::json& document);

} // namespace ringside
