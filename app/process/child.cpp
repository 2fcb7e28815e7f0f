#include "app/process/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace ringside
{

std::string find_on_path(std::string_view name)
{
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');)
    {
        const auto file = std::filesystem::path(folder) / name;
        std::error_code none;
        if (std::filesystem::is_regular_file(file, none) && ::access(file.c_str(), X_OK) == 0)
        {
            return file.string();
        }
    }
    return {};
}

void Descriptor::take(int number)
{
    if (number_ >= 0)
    {
        ::close(number_);
    }
    number_ = number;
}

Child::~Child()
{
    kill();
    wait();
}

int Child::start(const std::string& file, std::vector<std::string> words, Streams streams)
{
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words)
    {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    const std::array<int, 3> given{streams.in, streams.out, streams.errors};
    for (int i = 0; i < 3; ++i)
    {
        const int number = given[static_cast<std::size_t>(i)];
        number < 0 ? posix_spawn_file_actions_addopen(&files, i, "/dev/null", O_RDWR, 0)
                   : posix_spawn_file_actions_adddup2(&files, number, i);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    pid_t child = -1;
    const int error = ::posix_spawn(&child, file.c_str(), &files, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    child_ = error == 0 ? child : -1;
    status_ = -1;
    return error;
}

void Child::kill()
{
    if (const pid_t child = child_; child > 0)
    {
        ::kill(child, SIGKILL);
    }
}

int Child::wait()
{
    if (const pid_t child = child_; child > 0)
    {
        int status = 0;
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
        {
        }
        take(status);
    }
    return status_;
}

std::optional<int> Child::ended()
{
    if (const pid_t child = child_; child > 0)
    {
        int status = 0;
        if (::waitpid(child, &status, WNOHANG) == 0)
        {
            return std::nullopt;
        }
        take(status);
    }
    return status_;
}

void Child::take(int status)
{
    child_ = -1;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace ringside
