// The power goes at every call that touches a file, one after the other: reviews that were saved are still
// there. What was written and not yet synced is lost with it, half of it at random lengths. A program of its
// own, because it stands between the program and the C library.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/files/study_store.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace
{

constexpr int kMostFiles = 64;
constexpr int kLost = 137;

long until_loss = 0; // calls; 0: the power stays
std::array<int, kMostFiles> unsynced{};
int files = 0;

int call_ftruncate(int file, off_t size)
{
    return static_cast<int>(syscall(SYS_ftruncate, file, size));
}

// Of each file that was written and not synced only a part has reached the disk.
[[noreturn]] void lose_power()
{
    for (int i = 0; i < files; ++i)
    {
        struct stat is = {};
        if (unsynced[static_cast<std::size_t>(i)] >= 0 &&
            fstat(unsynced[static_cast<std::size_t>(i)], &is) == 0)
        {
            call_ftruncate(unsynced[static_cast<std::size_t>(i)], is.st_size * (i % 3) / 2);
        }
    }
    _exit(kLost);
}

void count_call()
{
    if (until_loss > 0 && --until_loss == 0)
    {
        lose_power();
    }
}

bool same_file(int a, int b)
{
    struct stat one = {};
    struct stat other = {};
    return fstat(a, &one) == 0 && fstat(b, &other) == 0 && one.st_ino == other.st_ino &&
           one.st_dev == other.st_dev;
}

void wrote(int file)
{
    struct stat is = {};
    if (until_loss > 0 && files < kMostFiles && fstat(file, &is) == 0 && S_ISREG(is.st_mode))
    {
        unsynced[static_cast<std::size_t>(files++)] = dup(file); // outlives close() and rename()
    }
}

} // namespace

extern "C"
{
    int open(const char* path, int flags, ...)
    {
        va_list more;
        va_start(more, flags);
        const int mode = (flags & O_CREAT) != 0 ? va_arg(more, int) : 0;
        va_end(more);
        count_call();
        return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
    }

    ssize_t write(int file, const void* data, size_t size)
    {
        count_call();
        const auto written = static_cast<ssize_t>(syscall(SYS_write, file, data, size));
        wrote(file);
        return written;
    }

    int fsync(int file)
    {
        count_call();
        const auto done = static_cast<int>(syscall(SYS_fsync, file));
        for (int i = 0; i < files; ++i)
        {
            int& kept = unsynced[static_cast<std::size_t>(i)];
            if (done == 0 && kept >= 0 && same_file(kept, file))
            {
                syscall(SYS_close, kept);
                kept = -1;
            }
        }
        return done;
    }

    int rename(const char* from, const char* to) noexcept
    {
        count_call();
        return static_cast<int>(syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
    }

    int unlink(const char* path) noexcept
    {
        count_call();
        return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
    }
}

namespace
{

using namespace ringside;

constexpr int kSaves = 3;

Progress of_reviews(int n)
{
    Progress progress;
    for (int i = 0; i < n; ++i)
    {
        Review review;
        review.card = fmt::format("card-{}", i);
        review.time_ms = 1'700'000'000'000 + i * 60'000;
        review.answer = std::string(200, static_cast<char>('a' + i));
        progress.reviews.push_back(review);
    }
    return progress;
}

// Saves a review more each time and says so on the pipe; the power goes at the given call.
[[noreturn]] void study(const std::filesystem::path& folder, long loss, int told)
{
    StudyStore store(folder);
    until_loss = loss;
    for (int i = 1; i <= kSaves; ++i)
    {
        Progress progress = of_reviews(i);
        if (has_errors(store.save(progress)))
        {
            _exit(1);
        }
        const auto saved = static_cast<char>(i);
        syscall(SYS_write, told, &saved, 1);
    }
    _exit(0);
}

// The last save that was told of; 0: none.
int last_told(int pipe)
{
    char saved = 0;
    int last = 0;
    while (::read(pipe, &saved, 1) == 1)
    {
        last = saved;
    }
    return last;
}

bool holds(const Progress& progress, int reviews)
{
    const Progress wanted = of_reviews(reviews);
    for (const Review& review : wanted.reviews)
    {
        bool found = false;
        for (const Review& kept : progress.reviews)
        {
            found = found || (kept.card == review.card && kept.answer == review.answer);
        }
        if (!found)
        {
            return false;
        }
    }
    return true;
}

// True when the run came to its end before the power went.
bool lose_at(long call)
{
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / fmt::format("ringside-power-{}", ::getpid());
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0)
    {
        std::exit(1);
    }
    const pid_t child = fork();
    if (child == 0)
    {
        study(folder, call, ends[1]);
    }
    ::close(ends[1]);
    const int saved = last_told(ends[0]);
    ::close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const StudyStore::Loaded loaded = StudyStore(folder).load();
    const bool kept = holds(loaded.progress, saved);
    fmt::print("call {:>3}: {} of {} saved, {} there{}\n", call, saved, kSaves,
               loaded.progress.reviews.size(), kept ? "" : "  LOST");
    std::filesystem::remove_all(folder);
    if (!kept || (code != 0 && code != kLost) || (code == 0 && saved != kSaves))
    {
        fmt::print("a review that was saved is gone, or saving failed (exit {})\n", code);
        std::exit(1);
    }
    return code == 0;
}

} // namespace

int main()
{
    constexpr long kFewest = 20; // calls that three saves make at the least; fewer: nothing was counted
    constexpr long kMost = 1000;
    long call = 1;
    while (call < kMost && !lose_at(call))
    {
        ++call;
    }
    fmt::print("{} calls, the power went at each of them\n", call - 1);
    return call > kFewest && call < kMost ? 0 : 1;
}
