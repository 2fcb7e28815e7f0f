// `ringside serve --stdio`: commands by lines of JSON, one process for all of them.
#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/console/options.h"
#include "app/commands/serve/line_reader.h"
#include "app/commands/serve/served_command.h"
#include "core/base/json/json_text.h"
#include "core/base/text/text.h"

#include <algorithm>

namespace ringside
{

namespace
{

using nlohmann::json;

constexpr std::size_t kMostRequests = 10'000; // of a batch

struct ServeOptions : ServerOptions
{
    bool stdio = false;
};

// The line of an answer, in which a document of the command stands as it is.
std::string answer_line(const json& id, const ServedAnswer& answer)
{
    const bool document = answer.out.starts_with('{') && answer.out.ends_with("}\n") &&
                          answer.out.find("\n{") == std::string::npos;
    return fmt::format(R"({{"id":{},"status":{},"stdout":{},"stderr":{}}})", dumped(id), answer.status,
                       document ? on_one_line(answer.out) : dumped(answer.out), dumped(answer.errors));
}

std::string refusal(const json& id, const Issue& issue)
{
    return answer_line(id, {kBadInput, "", to_line(issue) + "\n"});
}

// What is wrong with a request; its message is empty where nothing is.
Issue fault_of_request(const json& request)
{
    constexpr const char* kLikeThis = R"(send {"id": 1, "command": ["evaluate", "-"], "stdin": {...}})";
    if (!request.is_object())
    {
        return {"", "is no object", kLikeThis};
    }
    for (const auto& [key, value] : request.items())
    {
        if (key != "id" && key != "command" && key != "stdin")
        {
            return {key, "unknown field", "use id, command, stdin"};
        }
    }
    const auto command = request.find("command");
    if (command == request.end() || !command->is_array() || command->empty() ||
        !std::ranges::all_of(*command, [](const json& word) { return word.is_string(); }))
    {
        return {"command", "is no list of words", kLikeThis};
    }
    return {};
}

std::string served(const Program& program, const json& request)
{
    const json id = request.is_object() ? request.value("id", json()) : json();
    const Issue fault = fault_of_request(request);
    if (!fault.message.empty())
    {
        return refusal(id, fault);
    }
    const auto stdin_ = request.find("stdin");
    const bool text = stdin_ != request.end() && stdin_->is_string();
    const std::string input = stdin_ == request.end() ? ""
                              : text                  ? stdin_->get<std::string>()
                                                      : dumped(*stdin_);
    return answer_line(id,
                       run_served(program, request["command"].get<std::vector<std::string>>(), input, true));
}

int run_serve(const ServeOptions& o)
{
    end_with(Capture::on() ? Issues{{"serve", "runs already", "send its commands to this process"}}
                           : Issues());
    (void)open_presets(o); // before the first request, and refused here
    LineReader lines(STDIN_FILENO, kMaxJsonBytes);
    std::string line;
    std::string answer; // keeps its room from line to line
    while (true)
    {
        const LineRead read = lines.next(line);
        if (read == LineRead::end)
        {
            return kDone;
        }
        if (line.empty() && read == LineRead::whole)
        {
            continue;
        }
        if (read == LineRead::too_long)
        {
            answer =
                refusal(nullptr, {"", "the line is longer than the 16.0 MiB that are read", "send less"});
        }
        else
        {
            serve_line(*o.program, line, answer);
        }
        if (!put_line(answer))
        {
            return kBadInput; // nobody reads any more
        }
    }
}

void add_serve_options(CLI::App& app, ServeOptions& o)
{
    app.add_flag("--stdio", o.stdio, "requests on standard input, answers on standard output")->required();
}

} // namespace

void serve_line(const Program& program, const std::string& line, std::string& answer)
{
    const auto request = parse_json(line);
    if (!request)
    {
        answer = refusal(nullptr, request.issues().front());
    }
    else if (!request->is_array())
    {
        answer = served(program, *request);
    }
    else if (request->size() > kMostRequests)
    {
        answer = refusal(
            nullptr,
            {"", fmt::format("{} requests are too many", grouped(static_cast<std::int64_t>(request->size()))),
             fmt::format("send at most {} in a line", grouped(kMostRequests))});
    }
    else
    {
        answer = "[";
        for (const json& one : *request)
        {
            answer += answer.size() > 1 ? "," : "";
            answer += served(program, one);
        }
        answer += "]";
    }
}

const CliCommand serve_command = command<add_serve_options, run_serve>(
    "serve", R"(run commands from lines of JSON, {"id", "command": ["evaluate", "-"], "stdin": {...}})");

} // namespace ringside
