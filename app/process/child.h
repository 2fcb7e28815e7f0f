// Another program beside this one, in a process group of its own: Ctrl-C is ours to answer.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside
{

// The file that this name starts; empty: PATH has none.
std::string find_on_path(std::string_view name);

// A file descriptor that is closed.
class Descriptor
{
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }

    int number() const { return number_; }
    void close() { take(-1); }
    void take(int number);

private:
    int number_ = -1;
};

// It is killed with its owner.
class Child
{
public:
    struct Streams
    {
        int in = -1; // descriptors; negative: /dev/null
        int out = -1;
        int errors = -1;
    };

    Child() = default;
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child();

    // The words begin with the program's name. Gives 0, or errno.
    int start(const std::string& file, std::vector<std::string> words, Streams streams);
    void kill(); // also from another thread
    // Until it ends: its exit status; -1: it was killed, or never there.
    int wait();
    // The status where it has ended; nothing while it runs.
    std::optional<int> ended();
    // It goes on without its owner.
    void let_go() { child_ = -1; }

private:
    void take(int status);

    std::atomic<pid_t> child_ = -1;
    int status_ = -1;
};

} // namespace ringside
