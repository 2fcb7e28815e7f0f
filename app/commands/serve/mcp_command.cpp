// `ringside mcp`: tools, resources and prompts for agents, by the Model Context Protocol, over standard
// streams or, with --http, on this computer's own address.
//
// Over standard streams this thread reads, so that a cancellation is seen while a tool works; another
// answers.
#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/console/options.h"
#include "app/commands/serve/http.h"
#include "app/commands/serve/line_reader.h"
#include "app/commands/serve/mcp.h"
#include "core/base/json/json_text.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace ringside
{

namespace
{

using nlohmann::json;

struct McpOptions : ServerOptions
{
    std::int64_t http = -1; // port; below 0: standard streams
};

std::string method_of(const json& message)
{
    const json method = message.is_object() ? message.value("method", json()) : json();
    return method.is_string() ? method.get<std::string>() : std::string();
}

// Messages between the thread that reads them and the one that answers, which lives as long as this.
class McpQueue
{
public:
    explicit McpQueue(const Program& program) : worker_([this, &program] { work(program); }) {}
    McpQueue(const McpQueue&) = delete;
    McpQueue& operator=(const McpQueue&) = delete;
    ~McpQueue()
    {
        push(std::nullopt);
        worker_.join();
    }

    // A message, or an answer that needs no work; nothing: there are no more.
    void push(std::optional<json> message)
    {
        const std::lock_guard lock(mutex_);
        messages_.push_back(std::move(message));
        ready_.notify_one();
    }

    // What is asked by this id is not answered; its work stops where it can.
    void cancel(const json& id)
    {
        const std::lock_guard lock(mutex_);
        if (id == running_)
        {
            Capture::cancel();
        }
        cancelled_.insert(dumped(id));
        if (cancelled_.size() > kMostCancelled)
        {
            cancelled_.erase(cancelled_.begin());
        }
    }

private:
    static constexpr std::size_t kMostCancelled = 1000;

    std::optional<json> next()
    {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [this] { return !messages_.empty(); });
        std::optional<json> message = std::move(messages_.front());
        messages_.pop_front();
        running_ = message && message->is_object() ? message->value("id", json()) : json();
        return message;
    }

    bool is_cancelled()
    {
        const std::lock_guard lock(mutex_);
        return !running_.is_null() && cancelled_.erase(dumped(running_)) > 0;
    }

    void work(const Program& program)
    {
        while (const auto message = next())
        {
            const bool ready = message->is_object() && message->contains("error");
            const auto answer = is_cancelled() ? std::nullopt
                                : ready        ? message
                                               : mcp_answer(program, *message);
            if (answer && !is_cancelled())
            {
                (void)put_line(dumped(*answer)); // where nobody reads, the messages end as well
            }
        }
    }

    std::mutex mutex_; // of all below but the thread
    std::condition_variable ready_;
    std::deque<std::optional<json>> messages_;
    std::set<std::string> cancelled_;
    json running_; // its id
    std::thread worker_;
};

int serve_streams(const Program& program)
{
    McpQueue queue(program);
    LineReader lines(STDIN_FILENO, kMaxJsonBytes);
    std::string line;
    LineRead read = LineRead::whole;
    while ((read = lines.next(line)) != LineRead::end)
    {
        const auto message = parse_json(line);
        if (read == LineRead::too_long || (!message && !line.empty()))
        {
            queue.push(rpc_error(nullptr, RpcCode::parse_error,
                                 read == LineRead::too_long ? "the line is longer than 16 MiB"
                                                            : to_line(message.issues().front())));
        }
        else if (message && method_of(*message) == "notifications/cancelled")
        {
            const json params = message->value("params", json());
            queue.cancel(params.is_object() ? params.value("requestId", json()) : json());
        }
        else if (message)
        {
            queue.push(*message);
        }
    }
    return kDone;
}

constexpr int kAccepted = 202;
constexpr int kBadMessage = 400;
constexpr int kNotFound = 404;
constexpr int kNotAllowed = 405;

HttpAnswer error_answer(const json& error)
{
    return {kBadMessage, dumped(error)};
}

// What headers of revisions without a handshake repeat of the message (2026-07-28,
// transports/streamable-http).
std::optional<json> header_fault(const HttpRequest& request, const json& message)
{
    const std::string version = request.header("mcp-protocol-version");
    const json id = message.is_object() ? message.value("id", json()) : json();
    if (!version.empty() && !is_mcp_version(version))
    {
        return mcp_unsupported_version(id, version);
    }
    const std::string named = mcp_version_in(message);
    if (named.empty())
    {
        return std::nullopt;
    }
    const json params = message.value("params", json::object());
    const json name = params.value("name", params.value("uri", json()));
    const std::string mirrored = request.header("mcp-name");
    const bool encoded = mirrored.starts_with("=?base64?");
    const bool same = version == named && request.header("mcp-method") == method_of(message) &&
                      (encoded || !name.is_string() || mirrored == name.get<std::string>());
    return same
               ? std::nullopt
               : std::optional(rpc_error(id, RpcCode::header_mismatch,
                                         "MCP-Protocol-Version, Mcp-Method and Mcp-Name repeat the message"));
}

HttpAnswer answer_http(const Program& program, const HttpRequest& request)
{
    if (request.path != "/mcp" && request.path != "/")
    {
        return {kNotFound};
    }
    if (request.method != "POST")
    {
        return {kNotAllowed, "", "POST"};
    }
    const auto message = parse_json(request.body);
    if (!message)
    {
        return error_answer(rpc_error(nullptr, RpcCode::parse_error, to_line(message.issues().front())));
    }
    if (const auto fault = header_fault(request, *message))
    {
        return error_answer(*fault);
    }
    const auto answer = mcp_answer(program, *message);
    if (!answer)
    {
        return {kAccepted};
    }
    const json error = answer->is_object() ? answer->value("error", json()) : json();
    const json code = error.is_object() ? error.value("code", json()) : json();
    const bool stateless = !mcp_version_in(*message).empty();
    const int status = code == static_cast<int>(RpcCode::unsupported_version) ||
                               code == static_cast<int>(RpcCode::invalid_request)
                           ? kBadMessage
                       : stateless && code == static_cast<int>(RpcCode::method_not_found)
                           ? kNotFound
                           : HttpAnswer().status;
    return {status, dumped(*answer)};
}

int run_mcp(const McpOptions& o)
{
    end_with(Capture::on() ? Issues{{"mcp", "runs already", "send its messages to this process"}} : Issues());
    (void)open_presets(o); // before the first message, and refused here
    if (o.http < 0)
    {
        return serve_streams(*o.program);
    }
    stop_on_signals();
    LoopbackServer server = or_end(LoopbackServer::open(static_cast<int>(o.http)));
    put_line(fmt::format("Ringside's MCP server is at http://127.0.0.1:{}/mcp until Ctrl C", server.port()));
    server.serve([&](const HttpRequest& request) { return answer_http(*o.program, request); });
    return kDone;
}

void add_mcp_options(CLI::App& app, McpOptions& o)
{
    constexpr std::int64_t kMostPort = 65535;
    whole(app.add_option("--http", o.http,
                         "port of this computer's own address to listen on, 0 for a free one; "
                         "without it: standard input and output")
              ->type_name("PORT"),
          0, kMostPort);
}

} // namespace

const CliCommand mcp_command = command<add_mcp_options, run_mcp>(
    "mcp", "serve agents by the Model Context Protocol: tools, resources and prompts");

} // namespace ringside
