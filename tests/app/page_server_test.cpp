// The page in a browser of this computer: what starts it, what keeps it from starting, and that it ends.
#include "tests/app/lab_room.h"
#include "tests/ui/words.h"
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/process/page_server.h"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace fs = std::filesystem;
using namespace ringside;
using namespace ringside::test;

namespace
{

constexpr double kPatience = 20; // [s]

template <class F>
bool soon(const F& happens)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatience);
    while (!happens() && std::chrono::steady_clock::now() < end)
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return happens();
}

void write(const fs::path& file, std::string_view text)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

std::string read(const fs::path& file)
{
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// A folder of source with a page that has been built, and programs that PATH has before all others; gone
// afterwards.
class Source
{
public:
    Source()
    {
        std::string name = (fs::temp_directory_path() / "ringside-test-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        folder = name;
        write(folder / "build/web/index.html", "a small page");
        fs::create_directories(folder / "cmake");
        fs::copy_file(source_path("cmake/serve.py"), folder / "cmake/serve.py");
        fs::create_directories(programs());
        set_path(programs().string() + ":" + path_);
    }
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    ~Source()
    {
        set_path(path_);
        std::error_code none;
        fs::remove_all(folder, none);
    }

    fs::path folder;

    fs::path programs() const { return folder / "programs"; }
    void give_browser(std::string_view does) const
    {
        write(programs() / "xdg-open", "#!/bin/sh\n" + std::string(does));
        fs::permissions(programs() / "xdg-open", fs::perms::owner_all);
    }
    static void set_path(const std::string& path) { ::setenv("PATH", path.c_str(), 1); }

private:
    std::string path_ = std::getenv("PATH");
};

// What a browser is given; empty: nobody is there.
std::string get(const std::string& address, std::string_view file)
{
    const Descriptor line(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    to.sin_port = ::htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    if (::connect(line.number(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    {
        return {};
    }
    const std::string asks = "GET " + std::string(file) + " HTTP/1.0\r\n\r\n";
    REQUIRE(::send(line.number(), asks.data(), asks.size(), MSG_NOSIGNAL) == std::ssize(asks));
    std::string said;
    char next = 0;
    while (::read(line.number(), &next, 1) == 1)
    {
        said += next;
    }
    return said;
}

} // namespace

TEST_CASE("the page is handed to this computer alone, by one server, which ends with its owner")
{
    const Source source;
    std::string address;
    {
        PageServer server(source.folder);
        const auto first = server.address();
        REQUIRE(first);
        address = *first;
        CHECK(address.starts_with("http://127.0.0.1:"));
        CHECK(address.ends_with("/"));
        CHECK(get(address, "/index.html").find("a small page") != std::string::npos);
        CHECK(get(address, "/none.html").find("404") != std::string::npos);
        CHECK(*server.address() == address);
    }
    CHECK(get(address, "/index.html") == "");
}

TEST_CASE("the page's server ends by itself when the program that started it is gone")
{
    const Source source;
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    Descriptor ours(ends[0]);
    Descriptor its(ends[1]);
    Child server;
    REQUIRE(server.start(find_on_path("python3"),
                         {"python3", (source.folder / "cmake/serve.py").string(),
                          (source.folder / "build/web").string(), "--until-input-ends"},
                         {its.number(), its.number(), -1}) == 0);
    its.close();
    for (char said = 0; said != '\n';)
    {
        REQUIRE(::read(ours.number(), &said, 1) == 1);
    }
    CHECK_FALSE(server.ended());
    ours.close(); // as the kernel does for a program that was killed
    REQUIRE(soon([&] { return server.ended().has_value(); }));
    CHECK(server.wait() == 0);
}

TEST_CASE("a browser gets the page's address with the place")
{
    const Source source;
    source.give_browser("echo \"$1\" > " + (source.folder / "opened").string() + "\n");
    const auto open = page_opener(source.folder, "#v=lab");
    const std::string says = open().text;
    const std::string opened = read(source.folder / "opened");
    CHECK(opened.starts_with("http://127.0.0.1:"));
    CHECK(opened.ends_with("/#v=lab\n"));
    CHECK(says ==
          "The page is open at " + opened.substr(0, opened.size() - 1) + " until this window is closed");
    CHECK(open().text == says); // the same server
}

TEST_CASE("what keeps the page from opening is said with what to do")
{
    const Source source;
    SECTION("no browser: its address can be copied")
    {
        source.give_browser("exit 3\n");
        const std::string says = to_text(page_opener(source.folder, "#v=lab")());
        CHECK(says.starts_with("Not opened\nno browser could be opened (open http://127.0.0.1:"));
        CHECK(says.ends_with("/#v=lab in one yourself)"));
    }
    SECTION("the page has not been built")
    {
        fs::remove(source.folder / "build/web/index.html");
        CHECK(to_text(page_opener(source.folder, "#v=lab")()) ==
              "Not opened\nthe page has not been built on this computer (type ./run web --no-serve in the "
              "folder of Ringside's source, then open it again)");
    }
    SECTION("no python3")
    {
        Source::set_path(source.programs().string());
        CHECK(to_text(page_opener(source.folder, "#v=lab")()) ==
              "Not opened\npython3, which serves the page, is not installed (install it; on Debian: apt-get "
              "install python3)");
    }
    SECTION("a server that ends without a word")
    {
        write(source.folder / "cmake/serve.py", "");
        CHECK(to_text(page_opener(source.folder, "#v=lab")()) ==
              "Not opened\nthe server of the page did not start (./run web says why)");
    }
}

TEST_CASE("the palette opens the lab in a page, and says what came of it, only where that can be done")
{
    const auto ask = [](Window& w)
    {
        w.key(ImGuiKey_K, ImGuiMod_Ctrl);
        w.frames(2);
        w.type("webgpu browser");
        w.frames(2);
        return says(w, "Open the lab on this computer's GPU in a page");
    };
    LabController::Setup setup = lab_setup_for_tests();
    {
        Window without;
        without.session().set_lab(std::make_unique<LabController>(setup));
        CHECK_FALSE(ask(without));
    }

    for (const Notice& answer : {Notice("The page is open at http://127.0.0.1:8000/#v=lab"),
                                 Notice("Not opened", {"it is missing"})})
    {
        int opened = 0;
        setup.open_page = [&]
        {
            ++opened;
            return answer;
        };
        Window w;
        w.session().set_lab(std::make_unique<LabController>(setup));
        REQUIRE(ask(w));
        w.key(ImGuiKey_Enter);
        CHECK(soon(
            [&]
            {
                w.frames(2);
                return says(w, std::string_view(answer.text).substr(0, 10)) && opened == 1;
            }));
    }
}
