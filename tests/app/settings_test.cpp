// What is kept between starts, and that a file is either saved whole or not at all.
#include "tests/core/support.h"
#include "tests/source_path.h"
#include <sys/stat.h>
#include <unistd.h>

#include "app/files/files.h"
#include "app/files/lesson_files.h"
#include "app/files/settings.h"
#include "app/session/session.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace fs = std::filesystem;
using namespace ringside;

namespace
{

// A folder of its own as $XDG_CONFIG_HOME, gone afterwards.
class Home
{
public:
    Home()
    {
        std::string name = (fs::temp_directory_path() / "ringside-test-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        folder_ = name;
        const char* old = std::getenv("XDG_CONFIG_HOME");
        old_ = old == nullptr ? "" : old;
        ::setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
    }
    Home(const Home&) = delete;
    Home& operator=(const Home&) = delete;
    ~Home()
    {
        old_.empty() ? ::unsetenv("XDG_CONFIG_HOME") : ::setenv("XDG_CONFIG_HOME", old_.c_str(), 1);
        std::error_code none;
        fs::permissions(folder_, fs::perms::owner_all, none);
        fs::remove_all(folder_, none);
    }

    fs::path folder() const { return folder_; }
    fs::path settings() const { return folder_ / "ringside/settings.json"; }
    fs::path scenario() const { return folder_ / "ringside/last-scenario.json"; }

    static void write(const fs::path& path, std::string_view text)
    {
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }
    static std::string read(const fs::path& path)
    {
        std::ostringstream out;
        out << std::ifstream(path).rdbuf();
        return out.str();
    }

private:
    fs::path folder_;
    std::string old_;
};

std::size_t files_in(const fs::path& folder)
{
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

Settings loaded(const std::string& text)
{
    const Home home;
    Home::write(home.settings(), text);
    Issues issues;
    const Settings settings = load_settings(issues);
    CHECK(issues.empty());
    return settings;
}

} // namespace

TEST_CASE("without a settings file the defaults stand and nothing is written")
{
    const Home home;
    Issues issues;
    CHECK_FALSE(has_settings());
    CHECK(load_settings(issues) == Settings{});
    CHECK(issues.empty());
    CHECK(!load_last_scenario(test::presets(), issues));
    CHECK(issues.empty());
    CHECK(files_in(home.folder()) == 0);
}

TEST_CASE("settings come back as they were saved")
{
    const Home home;
    Settings settings;
    settings.preferences.light = true;
    settings.preferences.text_scale = 1.5F;
    settings.preferences.high_contrast = true;
    settings.preferences.reduced_motion = true;
    settings.preferences.volume = 0.8F;
    settings.preferences.unit = ByteUnit::binary;
    settings.view = "ring";
    settings.width = 1600;
    settings.height = 1000;
    settings.searches = {{"Llama 3.1 70B, 256 GPUs, any framework: 3.90 s",
                          "ringside:#v=planner",
                          "megatron",
                          Objective::cost,
                          {range_around(256), {}, true}}};
    REQUIRE(save_settings(settings).empty());
    Issues issues;
    CHECK(load_settings(issues) == settings);
    CHECK(issues.empty());
    CHECK(files_in(home.folder() / "ringside") == 1);
}

TEST_CASE("the presenter's view is never remembered")
{
    const Home home;
    Settings settings;
    settings.preferences.presenter = true;
    REQUIRE(save_settings(settings).empty());
    Issues issues;
    CHECK(!load_settings(issues).preferences.presenter);
}

TEST_CASE("broken settings are named, kept aside and replaced by the defaults")
{
    for (const char* text : {"", "{", "[]", "7", "\"text\"", "\xff\xfe\x00", "{\"light\": tru}"})
    {
        INFO(text);
        const Home home;
        Home::write(home.settings(), text);
        Issues issues;
        CHECK(load_settings(issues) == Settings{});
        REQUIRE(issues.size() == 1);
        CHECK(issues[0].severity == Severity::warning);
        CHECK(issues[0].hint.find("settings.json.bad") != std::string::npos);
        CHECK(!fs::exists(home.settings()));
        CHECK(Home::read(home.settings().string() + ".bad") == text);
        // The next start is quiet.
        issues.clear();
        CHECK(load_settings(issues) == Settings{});
        CHECK(issues.empty());
    }
}

TEST_CASE("a pipe in place of a file is named and does not hold up the start")
{
    const Home home;
    fs::create_directories(home.settings().parent_path());
    for (const fs::path& file : {home.settings(), home.scenario()})
    {
        REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    }
    Issues issues;
    CHECK(load_settings(issues) == Settings{});
    CHECK(!load_last_scenario(test::presets(), issues));
    REQUIRE(issues.size() == 2);
    CHECK(issues[0].message.find("pipe") != std::string::npos);
}

TEST_CASE("values out of range become the nearest that is in it")
{
    CHECK(loaded(R"({"text_scale": 100})").preferences.text_scale == 2.5F);
    CHECK(loaded(R"({"text_scale": -3})").preferences.text_scale == 0.75F);
    CHECK(loaded(R"({"width": 1e300, "height": -1e300})").width == 16384);
    CHECK(loaded(R"({"width": 1e300, "height": -1e300})").height == 240);
    CHECK(loaded(R"({"width": 0})").width == 320);
}

TEST_CASE("values of the wrong kind and unknown ones are passed over")
{
    const Settings settings =
        loaded(R"({"light": "yes", "text_scale": "large", "width": null, "view": 7, "gib": 1, "new": {}})");
    CHECK(settings == Settings{});
}

TEST_CASE("a view that does not exist any more opens the first one")
{
    Session session(test::presets(), default_scenario(test::presets()));
    session.apply(OpenView{"gone"});
    CHECK(session.view() == views().front()->id);
}

TEST_CASE("the last scenario comes back")
{
    const Home home;
    for (const ScenarioPreset& preset : test::presets().scenarios)
    {
        INFO(preset.id);
        REQUIRE(save_last_scenario(preset.scenario, test::presets()).empty());
        Issues issues;
        const auto read = load_last_scenario(test::presets(), issues);
        CHECK(issues.empty());
        REQUIRE(read);
        CHECK(*read == preset.scenario);
    }
}

TEST_CASE("a last scenario that is broken, or no longer valid, is passed over with a warning")
{
    for (const char* text :
         {"", "{", "[]", R"({"modle": 1})", R"({"cluster": {"gpus": 7}, "parallel": {"tensor": 8}})"})
    {
        INFO(text);
        const Home home;
        Home::write(home.scenario(), text);
        Issues issues;
        CHECK(!load_last_scenario(test::presets(), issues));
        REQUIRE(issues.size() == 1);
        CHECK(issues[0].severity == Severity::warning);
        // It is kept, for the user to look at, and no later one takes its place.
        CHECK(Home::read(home.scenario().string() + ".bad") == text);
        Home::write(home.scenario(), "again");
        CHECK(!load_last_scenario(test::presets(), issues));
        CHECK(Home::read(home.scenario().string() + ".bad") == text);
        CHECK(Home::read(home.scenario().string() + ".bad2") == "again");
    }
}

TEST_CASE("saving makes the folders it needs and replaces what was there")
{
    const Home home;
    const fs::path path = home.folder() / "a/b/c.txt";
    REQUIRE(save_text(path, "one").empty());
    CHECK(Home::read(path) == "one");
    REQUIRE(save_text(path, "two").empty());
    CHECK(Home::read(path) == "two");
    REQUIRE(save_text(path, std::string(1 << 20, 'x')).empty());
    CHECK(fs::file_size(path) == 1 << 20);
    CHECK(files_in(path.parent_path()) == 1);
}

TEST_CASE("saving where nothing may be written says so and leaves nothing")
{
    const Home home;
    const fs::path folder = home.folder() / "closed";
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
    const bool root = ::geteuid() == 0; // who may write anywhere: as nobody, then
    REQUIRE((!root || ::seteuid(65534) == 0));
    const Issues issues = save_text(folder / "file.txt", "text");
    REQUIRE((!root || ::seteuid(0) == 0));
    REQUIRE(issues.size() == 1);
    CHECK(issues[0].path == (folder / "file.txt").string());
    CHECK(!issues[0].hint.empty());
    CHECK(files_in(folder) == 0);
}

TEST_CASE("saving over a folder, or below a file, says so and leaves what was there")
{
    const Home home;
    const fs::path folder = home.folder() / "folder";
    fs::create_directory(folder);
    Home::write(folder / "inside.txt", "kept");
    Issues issues = save_text(folder, "text");
    REQUIRE(issues.size() == 1);
    CHECK(!issues[0].message.empty());
    CHECK(Home::read(folder / "inside.txt") == "kept");
    CHECK(files_in(home.folder()) == 1);
    issues = save_text(folder / "inside.txt" / "below.txt", "text");
    REQUIRE(issues.size() == 1);
    CHECK(Home::read(folder / "inside.txt") == "kept");
    CHECK(files_in(folder) == 1);
}

TEST_CASE("saving to a full device says so and leaves no part of a file")
{
    if (!fs::exists("/dev/full"))
    {
        SKIP("there is no /dev/full");
    }
    // The parts are written beside the target, so the device itself cannot be one.
    const Issues issues = save_text("/dev/full/file.txt", "text");
    CHECK(issues.size() == 1);
}

TEST_CASE("a relative XDG_CONFIG_HOME is not used, as its specification asks")
{
    const Home home;
    ::setenv("XDG_CONFIG_HOME", "relative/folder", 1);
    CHECK(config_folder().is_absolute());
    CHECK(config_folder().filename() == "ringside");
}

TEST_CASE("finished lessons come back, and a list that cannot be read is kept aside")
{
    const Home home;
    Issues issues;
    CHECK(load_finished(issues).empty());
    CHECK(save_finished({"bubble", "ring"}).empty());
    CHECK(load_finished(issues) == std::set<std::string>{"bubble", "ring"});
    CHECK(issues.empty());
    const fs::path file = home.folder() / "ringside/lessons.json";
    // Each beside the ones before it, which stay as they were.
    std::map<std::string, std::string> kept;
    for (const char* text : {" ", "{", "[]", R"({"schema": "other"})", R"({"schema": 1, "finished": 2})"})
    {
        Home::write(file, text);
        issues.clear();
        CHECK(load_finished(issues).empty());
        CHECK(issues.size() == 1);
        CHECK_FALSE(fs::exists(file));
        kept[file.string() + (kept.empty() ? ".bad" : ".bad" + std::to_string(kept.size() + 1))] = text;
        for (const auto& [name, was] : kept)
        {
            INFO(name);
            CHECK(Home::read(name) == was);
        }
    }
    issues.clear();
    Home::write(file, R"({"schema": "ringside.lessons-finished/1", "finished": ["ring", 3]})");
    CHECK(load_finished(issues) == std::set<std::string>{"ring"});
}

TEST_CASE("the lessons of a source tree lie beside its assets, and none are no fault")
{
    Issues issues;
    CHECK(open_course(test::source_path("assets"), issues).lessons.size() >= 12);
    CHECK(open_course(test::source_path("assets"), issues).tracks.size() == 3);
    CHECK(open_course(fs::temp_directory_path() / "ringside-nowhere", issues).lessons.empty());
    CHECK(issues.empty());
}
