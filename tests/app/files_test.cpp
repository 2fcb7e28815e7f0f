// What is saved for the user: beside what is there, never over it, and where it says.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/files/files.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;
using namespace ringside;

namespace
{

// The program was started in a folder of its own, gone afterwards.
class StartedIn
{
public:
    StartedIn()
        : before_(fs::current_path()), home_(std::getenv("HOME") == nullptr ? "" : std::getenv("HOME"))
    {
        ::unsetenv("XDG_DOWNLOAD_DIR");
        std::string name = (fs::temp_directory_path() / "ringside-test-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        folder_ = fs::canonical(name);
        fs::current_path(folder_);
        ::setenv("HOME", folder_.c_str(), 1); // without a folder for downloads
    }
    StartedIn(const StartedIn&) = delete;
    StartedIn& operator=(const StartedIn&) = delete;
    ~StartedIn()
    {
        std::error_code none;
        ::setenv("HOME", home_.c_str(), 1);
        fs::current_path(before_, none);
        fs::remove_all(folder_, none);
    }

    fs::path folder() const { return folder_; }

private:
    fs::path before_;
    std::string home_;
    fs::path folder_;
};

std::string read(const fs::path& path)
{
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
}

} // namespace

TEST_CASE("what a window saves goes to the folder for downloads, where there is one")
{
    const StartedIn here;
    CHECK(free_name("view.png") == here.folder() / "view.png");
    fs::create_directory(here.folder() / "Downloads");
    CHECK(free_name("view.png") == here.folder() / "Downloads" / "view.png");
    fs::create_directory(here.folder() / "elsewhere");
    ::setenv("XDG_DOWNLOAD_DIR", (here.folder() / "elsewhere").c_str(), 1);
    CHECK(free_name("view.png") == here.folder() / "elsewhere" / "view.png");
    ::setenv("XDG_DOWNLOAD_DIR", "/nowhere/at/all", 1);
    CHECK(free_name("view.png") == here.folder() / "Downloads" / "view.png");
    ::unsetenv("XDG_DOWNLOAD_DIR");
}

TEST_CASE("a free name is the one asked for, or the same with the next free number")
{
    const StartedIn here;
    CHECK(free_name("view.png") == here.folder() / "view.png");
    std::ofstream("view.png") << "first";
    CHECK(free_name("view.png") == here.folder() / "view-2.png");
    std::ofstream("view-2.png") << "second";
    fs::create_directory("view-3.png");
    CHECK(free_name("view.png") == here.folder() / "view-4.png");
    for (int i = 0; i < 30; ++i)
    {
        const fs::path name = free_name("view.png");
        REQUIRE(!fs::exists(name));
        REQUIRE(name.parent_path() == here.folder());
        REQUIRE(name.extension() == ".png");
        std::ofstream(name) << i;
    }
    CHECK(read("view.png") == "first");
    CHECK(read("view-2.png") == "second");
}

TEST_CASE("a free name leaves room for what is saved beside it")
{
    const StartedIn here;
    fs::create_directory("film-frames");
    CHECK(free_name("film.mp4") == here.folder() / "film.mp4");
    CHECK(free_name("film.mp4", "-frames") == here.folder() / "film-2.mp4");
    std::ofstream("film-2.mp4") << "second";
    CHECK(free_name("film.mp4", "-frames") == here.folder() / "film-3.mp4");
}

TEST_CASE("a link that points nowhere is not written through")
{
    const StartedIn here;
    fs::create_symlink(here.folder() / "elsewhere.png", here.folder() / "view.png");
    CHECK(free_name("view.png") != here.folder() / "view.png");
}

TEST_CASE("what is saved is where it says, and what was saved before stays")
{
    const StartedIn here;
    const auto first = save_new("timelines.svg", "<svg/>");
    const auto second = save_new("timelines.svg", "<svg></svg>");
    REQUIRE(first);
    REQUIRE(second);
    CHECK(*first == here.folder() / "timelines.svg");
    CHECK(*second != *first);
    CHECK(read(*first) == "<svg/>");
    CHECK(read(*second) == "<svg></svg>");
    CHECK(std::distance(fs::directory_iterator(here.folder()), fs::directory_iterator()) == 2);
}

TEST_CASE("where nothing can be written saving says so and names the file")
{
    const StartedIn here;
    fs::current_path("/proc"); // not even root adds files there
    const auto saved = save_new("timelines.svg", "<svg/>");
    REQUIRE(!saved);
    CHECK(saved.issues().front().path == "/proc/timelines.svg");
    CHECK(!saved.issues().front().hint.empty());
}

TEST_CASE("whether a file can be saved is known before, and asking leaves nothing")
{
    const StartedIn here;
    std::ofstream("kept") << "first";
    fs::create_directory("folder");
    CHECK(check_can_save("new").empty());
    CHECK(check_can_save(here.folder() / "new").empty());
    CHECK(check_can_save("to/be/made/new").empty()); // as save_text() makes them
    CHECK(check_can_save("kept").empty());
    CHECK(read("kept") == "first");
    for (const char* bad : {"folder", "folder/", "/proc/x", "/proc/x/y", "kept/new"})
    {
        INFO(bad);
        CHECK_FALSE(check_can_save(bad).empty());
    }
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(here.folder()))
    {
        ++files;
    }
    CHECK(files == 2);
    CHECK(fs::is_empty("folder"));
}

TEST_CASE("a file of another kind is refused after its first bytes, an endless one too")
{
    const StartedIn here;
    const FileKind kind{std::size_t{8} << 30U, "ringside.", "use another"};
    std::ofstream("good") << "ringside.1 and more";
    std::ofstream("short") << "rings";
    std::ofstream("empty");
    REQUIRE(read_text("good", kind));
    CHECK(*read_text("good", kind) == "ringside.1 and more");
    for (const char* bad : {"/dev/zero", "/dev/urandom", "short", "empty"})
    {
        INFO(bad);
        const auto text = read_text(bad, kind);
        REQUIRE_FALSE(text);
        CHECK(to_line(text.issues().front()) ==
              std::string(bad) + ": does not begin with “ringside.” (use another)");
    }
    const auto large = read_text("good", FileKind{4, "ringside.", "use another"});
    REQUIRE_FALSE(large);
    CHECK(to_line(large.issues().front()).ends_with("more than the 4.00 B that are read (use another)"));
}

namespace
{

int files_here()
{
    return static_cast<int>(std::distance(fs::directory_iterator("."), fs::directory_iterator()));
}

} // namespace

TEST_CASE("saving follows links and leaves them, and makes what a link misses")
{
    const StartedIn here;
    fs::create_directory("deep");
    std::ofstream("deep/target.txt") << "old";
    fs::create_symlink("deep/target.txt", "relative.txt");
    fs::create_symlink(here.folder() / "relative.txt", "twice.txt");
    fs::create_symlink("deep/missing.txt", "dangling.txt");
    REQUIRE(save_text("twice.txt", "new").empty());
    REQUIRE(save_text("dangling.txt", "made").empty());
    for (const char* link : {"relative.txt", "twice.txt", "dangling.txt"})
    {
        CHECK(fs::is_symlink(fs::symlink_status(link)));
    }
    CHECK(read("deep/target.txt") == "new");
    CHECK(read("deep/missing.txt") == "made");
    CHECK(files_here() == 4); // and no part of a file
}

TEST_CASE("links in a circle are a fault and stay")
{
    const StartedIn here;
    fs::create_symlink("b", "a");
    fs::create_symlink("a", "b");
    const Issues issues = save_text("a", "text");
    REQUIRE(issues.size() == 1);
    CHECK(issues.front().path == "a");
    CHECK(fs::is_symlink(fs::symlink_status("a")));
    CHECK(files_here() == 2);
}

TEST_CASE("a file that is saved again keeps its rights")
{
    const StartedIn here;
    for (const auto mode : {fs::perms(0600), fs::perms(0664), fs::perms(0755)})
    {
        std::ofstream("file.txt") << "old";
        fs::permissions("file.txt", mode);
        REQUIRE(save_text("file.txt", "new").empty());
        CHECK(fs::status("file.txt").permissions() == mode);
        CHECK(read("file.txt") == "new");
    }
}

TEST_CASE("a pipe is written into and stays a pipe")
{
    const StartedIn here;
    REQUIRE(::mkfifo("pipe", 0600) == 0);
    const int reader = ::open("pipe", O_RDONLY | O_NONBLOCK);
    REQUIRE(reader >= 0);
    CHECK(save_text("pipe", "through").empty());
    std::string got(16, '\0');
    const ssize_t n = ::read(reader, got.data(), got.size());
    ::close(reader);
    CHECK(got.substr(0, n > 0 ? static_cast<std::size_t>(n) : 0) == "through");
    CHECK(fs::is_fifo("pipe"));
    CHECK(files_here() == 1);
}

TEST_CASE("what is not a plain file is known to be saved into before, without opening it")
{
    const StartedIn here;
    fs::create_directory("deep");
    std::ofstream("deep/target.txt") << "old";
    fs::create_symlink("deep/target.txt", "link");
    fs::create_symlink("deep/missing.txt", "dangling");
    fs::create_symlink("made/missing.txt", "far");
    fs::create_symlink("/dev/null", "null");
    REQUIRE(::mkfifo("pipe", 0600) == 0); // nobody reads it, so opening it would wait
    for (const char* good : {"link", "dangling", "far", "null", "pipe", "/dev/null", "-", "/dev/stdout"})
    {
        INFO(good);
        CHECK(check_can_save(good).empty());
    }
    CHECK(files_here() == 6);
    CHECK_FALSE(fs::exists("deep/missing.txt"));
    CHECK_FALSE(fs::exists("made"));
    CHECK(read("deep/target.txt") == "old");
    for (const char* good : {"link", "dangling", "far", "null"})
    {
        INFO(good);
        CHECK(save_text(good, "new").empty());
    }
    fs::create_symlink("b", "a");
    fs::create_symlink("a", "b");
    fs::create_symlink("deep", "folder");
    fs::create_symlink("/proc/x", "nowhere");
    for (const char* bad : {"a", "folder", "nowhere"})
    {
        INFO(bad);
        REQUIRE(check_can_save(bad).size() == 1);
        CHECK(check_can_save(bad).front().path == bad);
        CHECK_FALSE(save_text(bad, "new").empty());
    }
}

TEST_CASE("a full device is a fault and stays a device")
{
    if (!fs::exists("/dev/full"))
    {
        SKIP("there is no /dev/full");
    }
    const StartedIn here;
    fs::create_symlink("/dev/full", "full"); // so that a wrong rename would hit the link
    const Issues issues = save_text("full", "text");
    REQUIRE(issues.size() == 1);
    CHECK(issues.front().path == "full");
    CHECK(issues.front().message.find("No space left") != std::string::npos);
    CHECK(fs::is_character_file("full"));
    CHECK(files_here() == 1);
}

TEST_CASE(
    "what a killed program left beside a file goes with the next saving, what another still writes stays")
{
    const StartedIn here;
    const int gone = 0x3FFFFFFF; // beyond the numbers of processes
    std::ofstream(fmt::format("kept.{}.part", gone)) << "half";
    std::ofstream(fmt::format("other.{}.part", gone)) << "half";
    std::ofstream(fmt::format("kept.{}.part", ::getppid())) << "half"; // of a program that runs
    std::ofstream("kept.part") << "another's own";
    REQUIRE(save_text("kept", "whole").empty());
    CHECK_FALSE(fs::exists(fmt::format("kept.{}.part", gone)));
    CHECK(fs::exists(fmt::format("other.{}.part", gone)));
    CHECK(fs::exists(fmt::format("kept.{}.part", ::getppid())));
    CHECK(fs::exists("kept.part"));
    CHECK(read("kept") == "whole");
}

TEST_CASE("a plain file is no pipe, no device and no folder, and is never longer than its limit")
{
    const StartedIn here;
    REQUIRE(::mkfifo("pipe", 0600) == 0);
    fs::create_symlink("/dev/zero", "zero");
    fs::create_directory("folder");
    std::ofstream("long") << std::string(100, 'x');
    for (const char* bad : {"pipe", "zero", "folder", "long", "missing", "-"})
    {
        INFO(bad);
        CHECK_FALSE(read_plain(bad, 99));
    }
    CHECK(read_plain("long", 100));
}

TEST_CASE("a folder cannot be saved over, and the reason says so")
{
    const StartedIn folder;
    const Issues issues = save_text(".", "text");
    REQUIRE(issues.size() == 1);
    CHECK(issues.front().message == "is a folder");
}

TEST_CASE("without HOME the user's own folder counts, never one that others can write to")
{
    const char* old = std::getenv("HOME");
    const std::string home = old == nullptr ? "" : old;
    const char* xdg = std::getenv("XDG_DATA_HOME");
    const std::string data = xdg == nullptr ? "" : xdg;
    ::unsetenv("HOME");
    ::unsetenv("XDG_DATA_HOME");
    std::error_code none;
    const std::string shared = fs::temp_directory_path(none).string();
    CHECK_FALSE(data_folder().string().starts_with(shared));
    CHECK(data_folder().is_absolute());
    if (old != nullptr)
    {
        ::setenv("HOME", home.c_str(), 1);
    }
    if (xdg != nullptr)
    {
        ::setenv("XDG_DATA_HOME", data.c_str(), 1);
    }
}
