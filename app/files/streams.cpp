#include "app/files/streams.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/base/faults.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>

namespace ringside
{

namespace
{

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a signal's
std::atomic<bool> asked_to_stop = false;
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a signal's
volatile std::sig_atomic_t asked_by = 0;
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): as the streams are that it replaces
std::atomic<Capture*> capturing = nullptr;
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): asked by another thread than captures
std::atomic<bool> cancelling = false;

} // namespace

void keep_streams()
{
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    {
        if (::fcntl(stream, F_GETFD) < 0)
        {
            // Opened the wrong way round, so that reading and writing fail as before.
            (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

void put_raw(std::string_view text)
{
    if (Capture* capture = capturing)
    {
        capture->take(&Capture::out, text);
        return;
    }
    (void)std::fwrite(text.data(), 1, text.size(), stdout); // flushed() says what failed
}

void warn_raw(std::string_view text)
{
    if (Capture* capture = capturing)
    {
        capture->take(&Capture::errors, text);
        return;
    }
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
    (void)std::fflush(stderr);
}

Capture::Capture(const std::string& input) : input_(input), standard_input_(std::cin.rdbuf(input_.rdbuf()))
{
    std::cin.clear();
    cancelling = false;
    capturing = this;
}

Capture::~Capture()
{
    capturing = nullptr;
    std::cin.rdbuf(standard_input_);
}

bool Capture::on()
{
    return capturing != nullptr;
}

void Capture::cancel()
{
    cancelling = true;
}

bool Capture::cancelled()
{
    return on() && cancelling;
}

void Capture::take(std::string Capture::*stream, std::string_view text)
{
    const std::lock_guard lock(mutex_);
    this->*stream += text;
}

bool put_line(std::string_view line)
{
    if (Capture::on())
    {
        put("{}\n", line);
        return true;
    }
    return std::fwrite(line.data(), 1, line.size(), stdout) == line.size() &&
           std::fputc('\n', stdout) != EOF && std::fflush(stdout) == 0;
}

int flushed(int status)
{
    errno = 0;
    const bool whole = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!whole)
    {
        warn("standard output: not all could be written{}{} (give it room, or a reader)\n",
             errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno));
    }
    return whole ? status : kBadInput;
}

const std::atomic<bool>& stopped()
{
    return asked_to_stop;
}

int stop_status(int otherwise)
{
    return asked_to_stop ? 128 + asked_by : otherwise;
}

void stop_on_signals()
{
    for (const int kind : {SIGINT, SIGTERM, SIGHUP})
    {
        std::signal(kind,
                    [](int asked)
                    {
                        asked_by = asked;
                        asked_to_stop = true;
                    });
    }
    std::signal(SIGPIPE, SIG_IGN);
}

std::string in_short(std::string_view line)
{
    constexpr std::size_t kLongestWord = 200;
    constexpr std::size_t kLongest = 4000;
    std::string out;
    while (!line.empty() && out.size() <= kLongest)
    {
        const std::size_t end = std::min(line.find_first_of(" \n\t"), line.size());
        out += shortened(line.substr(0, end), kLongestWord);
        out += line.substr(end, 1);
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return shortened(out, kLongest);
}

Issues of_file(Issues issues, const std::string& file)
{
    for (Issue& issue : issues)
    {
        if (!file.empty() && issue.path != file && !issue.path.starts_with(file + ": "))
        {
            issue.path = issue.path.empty() ? file : file + ": " + issue.path;
        }
    }
    return issues;
}

int print_faults(const Issues& issues, const std::string& file)
{
    const std::size_t shown = std::min(issues.size(), kMostFaultsShown);
    for (const Issue& issue :
         of_file({issues.begin(), issues.begin() + static_cast<std::ptrdiff_t>(shown)}, file))
    {
        warn("{}{}\n", issue.severity == Severity::warning ? "warning: " : "", in_short(to_line(issue)));
    }
    if (shown < issues.size())
    {
        warn("and {} more\n", grouped(static_cast<std::int64_t>(issues.size() - shown)));
    }
    return kBadInput;
}

int print_thrown(const std::exception_ptr& thrown) noexcept
{
    if (caught([&] { print_faults({fault_of(thrown)}); }))
    {
        (void)std::fputs("memory: there is not enough of it (close other programs)\n", stderr);
    }
    return kBadInput;
}

} // namespace ringside
