#include "app/process/page_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

namespace ringside
{

namespace
{

constexpr int kServerPatience = 10'000; // [ms]
constexpr int kBrowserPatience = 2'000; // [ms]
constexpr int kBetweenLooks = 20;       // [ms]

// The first line that comes, or what came until then.
std::string first_line(int from)
{
    std::string said;
    pollfd wanted{from, POLLIN, 0};
    while (!said.ends_with('\n') && ::poll(&wanted, 1, kServerPatience) > 0)
    {
        char next = 0;
        if (::read(from, &next, 1) != 1)
        {
            break;
        }
        said += next;
    }
    return said;
}

} // namespace

Result<std::string> PageServer::address()
{
    namespace fs = std::filesystem;
    if (!address_.empty() && !server_.ended())
    {
        return address_;
    }
    const fs::path page = source_ / "build/web";
    const fs::path script = source_ / "cmake/serve.py";
    std::error_code none;
    if (!fs::exists(page / "index.html", none) || !fs::exists(script, none))
    {
        return Issue{"", "the page has not been built on this computer",
                     "type ./run web --no-serve in the folder of Ringside's source, then open it again"};
    }
    const std::string python = find_on_path("python3");
    if (python.empty())
    {
        return Issue{"", "python3, which serves the page, is not installed",
                     "install it; on Debian: apt-get install python3"};
    }
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    {
        return Issue{"", fmt::format("the server could not be started: {}", std::strerror(errno)), ""};
    }
    line_.take(ends[0]);
    Descriptor its(ends[1]);
    const int error = server_.start(python, {"python3", script.string(), page.string(), "--until-input-ends"},
                                    {its.number(), its.number(), -1});
    its.close();
    if (error != 0)
    {
        return Issue{"", fmt::format("python3 could not be started: {}", std::strerror(error)), ""};
    }
    const std::string said = first_line(line_.number());
    const auto from = said.find("http://");
    if (from == std::string::npos)
    {
        server_.kill();
        server_.wait();
        return Issue{"", "the server of the page did not start", "./run web says why"};
    }
    address_ = said.substr(from, said.find(' ', from) - from);
    return address_;
}

Issues open_in_browser(const std::string& address)
{
    const Issues none{{"", "no browser could be opened", "open " + address + " in one yourself"}};
    const std::string opener = find_on_path("xdg-open");
    Child child;
    if (opener.empty() || child.start(opener, {"xdg-open", address}, {}) != 0)
    {
        return none;
    }
    for (int waited = 0; waited < kBrowserPatience; waited += kBetweenLooks)
    {
        if (const auto status = child.ended())
        {
            return *status == 0 ? Issues{} : none;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(kBetweenLooks));
    }
    child.let_go(); // where it is the browser itself
    return {};
}

std::function<Notice()> page_opener(std::filesystem::path source, std::string place)
{
    return [server = std::make_shared<PageServer>(std::move(source)), place = std::move(place)]
    {
        const auto address = server->address();
        const Issues issues = address ? open_in_browser(*address + place) : address.issues();
        return issues.empty() ? Notice(fmt::format("The page is open at {}{} until this window is closed",
                                                   *address, place))
                              : Notice("Not opened", {to_line(issues.front())});
    };
}

} // namespace ringside
