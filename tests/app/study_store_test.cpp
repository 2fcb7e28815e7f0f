// Progress on disk: whatever happens while it is saved, no review is lost that was saved before.
#include "tests/core/study/study_clock.h"
#include <sys/wait.h>
#include <unistd.h>

#include "app/files/study_store.h"

#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <sstream>

namespace fs = std::filesystem;
using namespace ringside;
using test::kMorning;

namespace
{

// A folder of its own, gone afterwards.
class Folder
{
public:
    Folder()
    {
        std::string name = (fs::temp_directory_path() / "ringside-study-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder()
    {
        std::error_code none;
        fs::permissions(path_, fs::perms::owner_all, none);
        fs::remove_all(path_, none);
    }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

Progress of(int reviews)
{
    Progress p;
    for (int i = 0; i < reviews; ++i)
    {
        apply(p, AddReview{test::review("f" + std::to_string(i), kMorning + i, Grade::good)});
    }
    return p;
}

std::string read(const fs::path& path)
{
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
}

void write(const fs::path& path, std::string_view text)
{
    std::ofstream(path) << text;
}

// Saves in a process of its own that ends at this stage, as if the power went.
void save_and_die(const fs::path& folder, const Progress& progress, std::string_view stage)
{
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0)
    {
        StudyStore store(folder);
        store.before_stage = [stage](const char* at)
        {
            if (at == stage)
            {
                ::_exit(0);
            }
        };
        store.save(progress);
        ::_exit(1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
}

} // namespace

TEST_CASE("progress is kept between starts, and there is none at first")
{
    const Folder folder;
    StudyStore store(folder.path() / "new");
    CHECK(store.load().progress == Progress{});
    CHECK(store.load().message.empty());
    CHECK(store.save(of(3)).empty());
    const auto loaded = StudyStore(folder.path() / "new").load();
    CHECK(loaded.progress == of(3));
    CHECK(loaded.message.empty());
}

TEST_CASE("killed at any stage of saving, the last good progress or the new one is there")
{
    for (const char* stage : {"backup", "write", "done"})
    {
        INFO(stage);
        const Folder folder;
        REQUIRE(StudyStore(folder.path()).save(of(5)).empty());
        save_and_die(folder.path(), of(6), stage);
        const auto loaded = StudyStore(folder.path()).load();
        CHECK(loaded.message.empty());
        CHECK(loaded.progress == of(std::string_view(stage) == "done" ? 6 : 5));
    }
}

TEST_CASE("killed while the new file is half written, the old one is untouched")
{
    const Folder folder;
    StudyStore store(folder.path());
    REQUIRE(store.save(of(5)).empty());
    const std::string next = to_text(of(6));
    write(store.file().string() + ".77.part", next.substr(0, next.size() / 2)); // as save_text leaves it then
    CHECK(store.load().progress == of(5));
}

TEST_CASE("a file cut short is joined with its backup, and kept aside")
{
    const Folder folder;
    StudyStore store(folder.path());
    REQUIRE(store.save(of(5)).empty());
    REQUIRE(store.save(of(6)).empty()); // five in the backup
    const std::string cut = read(store.file()).substr(0, read(store.file()).size() / 2);
    write(store.file(), cut);
    const auto loaded = store.load();
    CHECK(loaded.progress.reviews == of(5).reviews);
    CHECK(loaded.message ==
          "The progress file was damaged: 5 reviews could be read, with the backup's. The old file is "
          "kept as progress.damaged-1.json.");
    CHECK_FALSE(loaded.issues.empty());
    CHECK(read(folder.path() / "progress.damaged-1.json") == cut);
    REQUIRE(store.save(loaded.progress).empty());
    CHECK(store.load().message.empty());
    CHECK(read_progress(read(store.backup())).progress == of(5)); // never the damaged one
}

TEST_CASE("without a backup the file's whole reviews are salvaged")
{
    const Folder folder;
    StudyStore store(folder.path());
    REQUIRE(store.save(of(6)).empty());
    const std::string text = read(store.file());
    write(store.file(), text.substr(0, text.rfind("{\"card\"")));
    const auto loaded = store.load();
    CHECK(loaded.progress.reviews == of(5).reviews);
    CHECK(loaded.message.starts_with("The progress file was damaged: 5 reviews could be read. "));
}

TEST_CASE("a file that is gone comes back from its backup, and says so")
{
    const Folder folder;
    StudyStore store(folder.path());
    REQUIRE(store.save(of(1)).empty());
    REQUIRE(store.save(of(2)).empty());
    fs::remove(store.file());
    const auto loaded = store.load();
    CHECK(loaded.progress == of(1));
    CHECK(loaded.message == "The progress file was gone; its backup gave back 1 review.");
}

TEST_CASE("both damaged: what stands in either is read")
{
    const Folder folder;
    StudyStore store(folder.path());
    REQUIRE(store.save(of(4)).empty());
    REQUIRE(store.save(of(6)).empty());
    const std::string main = read(store.file());
    const std::string spare = read(store.backup());
    write(store.file(), "garbage" + main.substr(main.find("\"card\":\"f2\"") - 1)); // without f0 and f1
    write(store.backup(), spare.substr(0, spare.find("\"card\":\"f3\"")));          // f0 to f2
    CHECK(store.load().progress.reviews == of(6).reviews);
}

TEST_CASE("a later version's file is kept aside before anything is saved")
{
    const Folder folder;
    StudyStore store(folder.path());
    const std::string later = "{\"schema\": \"ringside.progress/9\", \"reviews\": []}";
    write(store.file(), later);
    const auto loaded = store.load();
    CHECK(loaded.progress == Progress{});
    CHECK(loaded.message.find("progress.damaged-1.json") != std::string::npos);
    REQUIRE(store.save(of(1)).empty());
    CHECK(read(folder.path() / "progress.damaged-1.json") == later);
    write(store.file(), "again");
    CHECK(store.load().message.find("progress.damaged-2.json") != std::string::npos);
}

TEST_CASE("a fault while saving is an issue, and the old file stays")
{
    const Folder folder;
    write(folder.path() / "file", "x");
    StudyStore store(folder.path() / "file"); // a file where the folder should be
    CHECK_FALSE(store.save(of(1)).empty());
    CHECK(read(folder.path() / "file") == "x");
}
