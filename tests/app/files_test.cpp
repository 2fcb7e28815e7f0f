// What is saved for the person: beside what is there, never over it, and where it says.
#include <unistd.h>

#include "app/files.h"

#include <catch2/catch_test_macros.hpp>

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
    StartedIn() : before_(fs::current_path())
    {
        std::string name = (fs::temp_directory_path() / "ringside-test-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        folder_ = fs::canonical(name);
        fs::current_path(folder_);
    }
    StartedIn(const StartedIn&) = delete;
    StartedIn& operator=(const StartedIn&) = delete;
    ~StartedIn()
    {
        std::error_code none;
        fs::current_path(before_, none);
        fs::remove_all(folder_, none);
    }

    fs::path folder() const { return folder_; }

private:
    fs::path before_;
    fs::path folder_;
};

std::string read(const fs::path& path)
{
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
}

} // namespace

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
