#include "app/commands/serve/http.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/files/streams.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>

namespace ringside
{

namespace
{

constexpr std::size_t kLongestHead = 64U << 10U; // [B]
constexpr std::size_t kLongestBody = 16U << 20U; // [B]
constexpr int kRequestPatience = 10'000;         // [ms] for a request to arrive
constexpr int kBetweenPolls = 100;               // [ms] for a signal
constexpr int kWaiting = 16;                     // connections

constexpr int kBadRequest = 400;
constexpr int kForbidden = 403;
constexpr int kTooLarge = 413;
constexpr int kLengthRequired = 411;

std::string lower_case(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    return out;
}

std::string_view trimmed_value(std::string_view text)
{
    const std::size_t from = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(from);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// "127.0.0.1:8471" and "http://localhost:6274" name this computer; so do both without a port.
bool is_this_computer(std::string_view place)
{
    for (const std::string_view scheme : {"http://", "https://"})
    {
        place.remove_prefix(place.starts_with(scheme) ? scheme.size() : 0);
    }
    for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"})
    {
        if (place.starts_with(name))
        {
            const std::string_view rest = place.substr(name.size());
            return rest.empty() || (rest.front() == ':' && rest.size() > 1 &&
                                    rest.find_first_not_of("0123456789", 1) == std::string_view::npos);
        }
    }
    return false;
}

std::optional<std::size_t> length_of(const HttpRequest& request)
{
    const std::string text = request.header("content-length");
    std::size_t length = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), length);
    return text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()
               ? std::nullopt
               : std::optional(length);
}

// What a connection has sent.
class Arriving
{
public:
    explicit Arriving(int file) : file_(file) {}

    // Reads until there are so many bytes, or these; false where they did not come in time.
    bool until(std::size_t size, std::string_view mark = {})
    {
        while (mark.empty() ? text.size() < size
                            : text.find(mark) == std::string::npos && text.size() <= size)
        {
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now()).count();
            pollfd wanted{file_, POLLIN, 0};
            std::array<char, 65536> part{};
            const bool comes = left > 0 && ::poll(&wanted, 1, static_cast<int>(left)) > 0;
            const ssize_t n = comes ? ::recv(file_, part.data(), part.size(), 0) : 0;
            if (n <= 0)
            {
                return false;
            }
            text.append(part.data(), static_cast<std::size_t>(n));
        }
        return mark.empty() || text.find(mark) != std::string::npos;
    }

    std::string text;

private:
    using Clock = std::chrono::steady_clock;

    int file_;
    Clock::time_point end_ = Clock::now() + std::chrono::milliseconds(kRequestPatience);
};

std::string_view reason_of(int status)
{
    constexpr std::array<std::pair<int, std::string_view>, 8> kReasons{{{200, "OK"},
                                                                        {202, "Accepted"},
                                                                        {400, "Bad Request"},
                                                                        {403, "Forbidden"},
                                                                        {404, "Not Found"},
                                                                        {405, "Method Not Allowed"},
                                                                        {411, "Length Required"},
                                                                        {413, "Content Too Large"}}};
    const auto found = std::ranges::find(kReasons, status, [](const auto& r) { return r.first; });
    return found == kReasons.end() ? "" : found->second;
}

void send_text(int file, std::string_view text)
{
    while (!text.empty())
    {
        const ssize_t n = ::send(file, text.data(), text.size(), MSG_NOSIGNAL);
        if (n <= 0 && !(n < 0 && errno == EINTR))
        {
            return; // it went away
        }
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    }
}

void send_answer(int file, const HttpAnswer& answer)
{
    std::string head = fmt::format("HTTP/1.1 {} {}\r\nContent-Length: {}\r\nConnection: close\r\n",
                                   answer.status, reason_of(answer.status), answer.body.size());
    head += answer.body.empty() ? "" : "Content-Type: application/json\r\n";
    head += answer.allow.empty() ? "" : fmt::format("Allow: {}\r\n", answer.allow);
    send_text(file, head + "\r\n");
    send_text(file, answer.body);
}

// What came on a connection, answered.
HttpAnswer answer_on(int file, const std::function<HttpAnswer(const HttpRequest&)>& handle)
{
    constexpr std::string_view kEmptyLine = "\r\n\r\n";
    Arriving arriving(file);
    if (!arriving.until(kLongestHead, kEmptyLine))
    {
        return {kBadRequest};
    }
    const std::size_t end = arriving.text.find(kEmptyLine);
    auto request = read_http_head(std::string_view(arriving.text).substr(0, end));
    const HttpAnswer refusal = request ? http_refusal(*request) : HttpAnswer{kBadRequest};
    if (!request || refusal.status != 200)
    {
        return refusal;
    }
    if (lower_case(request->header("expect")) == "100-continue")
    {
        send_text(file, "HTTP/1.1 100 Continue\r\n\r\n");
    }
    const std::size_t length = length_of(*request).value_or(0);
    const std::size_t from = end + kEmptyLine.size();
    if (!arriving.until(from + length))
    {
        return {kBadRequest};
    }
    request->body = arriving.text.substr(from, length);
    return handle(*request);
}

} // namespace

std::string HttpRequest::header(std::string_view name) const
{
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
}

Result<HttpRequest> read_http_head(std::string_view head)
{
    HttpRequest request;
    const std::string_view first = head.substr(0, head.find("\r\n"));
    const std::size_t space = first.find(' ');
    const std::size_t version = first.rfind(" HTTP/1.");
    if (space == std::string_view::npos || version == std::string_view::npos || version <= space)
    {
        return Issue{"request", "is no HTTP/1.1", ""};
    }
    request.method = first.substr(0, space);
    request.path = first.substr(space + 1, version - space - 1);
    head.remove_prefix(std::min(first.size() + 2, head.size()));
    while (!head.empty())
    {
        const std::string_view line = head.substr(0, head.find("\r\n"));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0)
        {
            return Issue{"headers", "have a line without a name", ""};
        }
        request.headers[lower_case(line.substr(0, colon))] = trimmed_value(line.substr(colon + 1));
        head.remove_prefix(std::min(line.size() + 2, head.size()));
    }
    return request;
}

HttpAnswer http_refusal(const HttpRequest& request)
{
    const std::string origin = request.header("origin");
    if (!is_this_computer(request.header("host")) || (!origin.empty() && !is_this_computer(origin)))
    {
        return {kForbidden};
    }
    const bool has_body = request.method == "POST";
    if (has_body && !length_of(request))
    {
        return {kLengthRequired};
    }
    return {length_of(request).value_or(0) > kLongestBody ? kTooLarge : 200};
}

LoopbackServer::LoopbackServer(LoopbackServer&& other) noexcept : port_(other.port_)
{
    listener_.take(::dup(other.listener_.number()));
}

Result<LoopbackServer> LoopbackServer::open(int port)
{
    LoopbackServer server;
    server.listener_.take(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int file = server.listener_.number();
    const int on = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    (void)::setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    auto* named =
        reinterpret_cast<sockaddr*>(&address); // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
    if (::bind(file, named, size) != 0 || ::listen(file, kWaiting) != 0 ||
        ::getsockname(file, named, &size) != 0)
    {
        return Issue{"--http", fmt::format("port {} cannot be listened on: {}", port, std::strerror(errno)),
                     "give another, or 0 for one that is free"};
    }
    server.port_ = ntohs(address.sin_port);
    return server;
}

void LoopbackServer::serve(const std::function<HttpAnswer(const HttpRequest&)>& handle)
{
    while (!stopped())
    {
        pollfd wanted{listener_.number(), POLLIN, 0};
        if (::poll(&wanted, 1, kBetweenPolls) <= 0)
        {
            continue;
        }
        Descriptor connection(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
        if (connection.number() >= 0)
        {
            send_answer(connection.number(), answer_on(connection.number(), handle));
            (void)::shutdown(connection.number(), SHUT_WR);
        }
    }
}

} // namespace ringside
