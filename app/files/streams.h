// The program's own streams: what is said on stderr never ends it, what was printed on stdout has arrived or
// the exit status says so, and a signal ends long work where it can still be saved. Faults are printed here.
// All that commands print passes put_raw() and warn_raw(), so that a server can run them (Capture).
#pragma once

#include <fmt/format.h>

#include "app/commands/commands.h"
#include "core/base/caught.h"
#include "core/base/text/printable.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>

namespace ringside
{

// Streams that were closed fail when they are used, rather than let the next file take their number.
void keep_streams();

// On stdout.
void put_raw(std::string_view text);
template <class... Args>
void put(fmt::format_string<Args...> form, Args&&... args)
{
    put_raw(fmt::format(form, std::forward<Args>(args)...));
}

// On stderr, which may be closed. Names and texts of files reach the terminal as text, never as its commands.
void warn_raw(std::string_view text);
template <class... Args>
void warn(fmt::format_string<Args...> form, Args&&... args)
{
    warn_raw(printable(fmt::format(form, std::forward<Args>(args)...)));
}

// While it lives, what the process prints is kept here, on whichever thread, and standard input is this text.
// There is one at a time.
class Capture
{
public:
    explicit Capture(const std::string& input);
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    ~Capture();

    static bool on(); // nothing reaches the terminal
    // The command that prints here should end, and how long work finds out.
    static void cancel();
    static bool cancelled();

    void take(std::string Capture::*stream, std::string_view text);
    std::string out;
    std::string errors;

private:
    std::mutex mutex_; // of both texts
    std::istringstream input_;
    std::streambuf* standard_input_;
};

// Prints a line of a long run at once; false when nobody reads any more.
bool put_line(std::string_view line);

// This status, or that of bad input where not all that was printed could be written, which is said.
int flushed(int status);

// From here on SIGINT, SIGTERM and SIGHUP set stopped(), and a closed pipe is a fault of writing.
void stop_on_signals();
const std::atomic<bool>& stopped();
// What a shell expects of a program that a signal ended; else this status.
int stop_status(int otherwise);

// A line for a user: what they gave may be of any length, so words end after 200 bytes and the line after
// 4,000.
std::string in_short(std::string_view line);
// Faults of what a file holds, with the file's name before each that does not begin with it.
Issues of_file(Issues issues, const std::string& file);
// Each on one line of stderr as `path: message (hint)`, of this file; returns the status for bad input. Long
// words are shortened, and of very many faults the first are printed.
int print_faults(const Issues& issues, const std::string& file = {});
// Prints what ended the program, whatever memory is left for it.
int print_thrown(const std::exception_ptr& thrown) noexcept;

} // namespace ringside
