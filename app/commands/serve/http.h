// HTTP for programs of this computer alone: listens on 127.0.0.1, one request at a time, and closes after
// each. A page from elsewhere is refused by its Origin, and by its Host where a name was made to point here.
#pragma once

#include "app/process/child.h"
#include "core/base/result.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ringside
{

struct HttpRequest
{
    std::string method;                                      // "POST"
    std::string path;                                        // "/mcp"
    std::map<std::string, std::string, std::less<>> headers; // names in lower case
    std::string body;

    std::string header(std::string_view name) const; // empty: it has none
};

struct HttpAnswer
{
    int status = 200;
    std::string body = {};  // JSON; empty: none
    std::string allow = {}; // methods, with 405
};

class LoopbackServer
{
public:
    // A port that is free for 0.
    static Result<LoopbackServer> open(int port);
    LoopbackServer(LoopbackServer&& other) noexcept;

    int port() const { return port_; }
    // Until a signal asks the program to stop. What is malformed or foreign is answered here.
    void serve(const std::function<HttpAnswer(const HttpRequest&)>& handle);

private:
    LoopbackServer() = default;

    Descriptor listener_;
    int port_ = 0;
};

// A request up to its body, from the text before the empty line; a fault: it is none.
Result<HttpRequest> read_http_head(std::string_view head);
// What refuses a request before anything reads it: from another site, or too long. Its status is 200
// otherwise.
HttpAnswer http_refusal(const HttpRequest& request);

} // namespace ringside
