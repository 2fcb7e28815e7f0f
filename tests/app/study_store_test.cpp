// Progress on disk: whatever happens while it is saved, no review is lost that was saved before.
#include "tests/core/study/study_clock.h"
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
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

Issues save(StudyStore& store, Progress progress)
{
    return store.save(progress);
}
Issues save(StudyStore&& store, Progress progress)
{
    return store.save(progress);
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
        save(store, progress);
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
    CHECK(save(store, of(3)).empty());
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
        REQUIRE(save(StudyStore(folder.path()), of(5)).empty());
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
    REQUIRE(save(store, of(5)).empty());
    const std::string next = to_text(of(6));
    write(store.file().string() + ".77.part", next.substr(0, next.size() / 2)); // as save_text leaves it then
    CHECK(store.load().progress == of(5));
}

TEST_CASE("a file cut short is joined with its backup, and kept aside")
{
    const Folder folder;
    StudyStore store(folder.path());
    REQUIRE(save(store, of(5)).empty());
    REQUIRE(save(store, of(6)).empty()); // five in the backup
    const std::string cut = read(store.file()).substr(0, read(store.file()).size() / 2);
    write(store.file(), cut);
    const auto loaded = store.load();
    CHECK(loaded.progress.reviews == of(5).reviews);
    CHECK(loaded.message ==
          "The progress file was damaged: 5 reviews could be read, with the backup's. The old file is "
          "kept as progress.damaged-1.json.");
    CHECK_FALSE(loaded.issues.empty());
    CHECK(read(folder.path() / "progress.damaged-1.json") == cut);
    REQUIRE(save(store, loaded.progress).empty());
    CHECK(store.load().message.empty());
    CHECK(read_progress(read(store.backup())).progress == of(5)); // never the damaged one
}

TEST_CASE("without a backup the file's whole reviews are salvaged")
{
    const Folder folder;
    StudyStore store(folder.path());
    REQUIRE(save(store, of(6)).empty());
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
    REQUIRE(save(store, of(1)).empty());
    REQUIRE(save(store, of(2)).empty());
    fs::remove(store.file());
    const auto loaded = store.load();
    CHECK(loaded.progress == of(1));
    CHECK(loaded.message == "The progress file was gone; its backup gave back 1 review.");
}

TEST_CASE("both damaged: what stands in either is read")
{
    const Folder folder;
    StudyStore store(folder.path());
    REQUIRE(save(store, of(4)).empty());
    REQUIRE(save(store, of(6)).empty());
    const std::string main = read(store.file());
    const std::string spare = read(store.backup());
    write(store.file(), "garbage" + main.substr(main.find("\"card\":\"f2\"") - 1)); // without f0 and f1
    write(store.backup(), spare.substr(0, spare.find("\"card\":\"f3\"")));          // f0 to f2
    CHECK(store.load().progress.reviews == of(6).reviews);
}

TEST_CASE("a later version's file stays as it is, is told at every start and never written over")
{
    const Folder folder;
    const std::string later = "{\"schema\": \"ringside.progress/9\", \"reviews\": []}";
    write(folder.path() / "progress.json", later);
    for (int start = 0; start < 2; ++start)
    {
        StudyStore store(folder.path());
        const auto loaded = store.load();
        CHECK(loaded.progress == Progress{});
        CHECK(loaded.message.find("later version") != std::string::npos);
        CHECK_FALSE(save(store, of(1)).empty());
        CHECK(read(store.file()) == later);
    }
    CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("what cannot be opened stays as it is, and the backup is shown meanwhile")
{
    const Folder folder;
    StudyStore store(folder.path());
    REQUIRE(save(store, of(4)).empty());
    REQUIRE(save(store, of(5)).empty());
    fs::remove(store.file());
    REQUIRE(::mkfifo(store.file().c_str(), 0600) == 0); // reading it would wait for ever
    StudyStore next(folder.path());
    const auto loaded = next.load();
    CHECK(loaded.progress == of(4));
    CHECK(loaded.message.find("pipe") != std::string::npos);
    CHECK_FALSE(save(next, of(1)).empty());
    CHECK(fs::is_fifo(store.file()));
}

TEST_CASE("the same damaged file is copied aside once, however often the program starts")
{
    const Folder folder;
    write(folder.path() / "progress.json", "{\"schema\": ");
    for (int start = 0; start < 3; ++start)
    {
        CHECK(StudyStore(folder.path()).load().message.find("progress.damaged-1.json") != std::string::npos);
    }
    CHECK_FALSE(fs::exists(folder.path() / "progress.damaged-2.json"));
}

TEST_CASE("two windows keep each other's reviews, flags and cards, and what one takes back is gone")
{
    const Folder folder;
    StudyStore first(folder.path());
    StudyStore second(folder.path());
    REQUIRE(save(first, of(3)).empty());
    Progress a = first.load().progress;
    Progress b = second.load().progress;
    apply(a, AddReview{test::review("a", kMorning + 100, Grade::good)});
    apply(a, SetFlag{"f1", true});
    undo_last(b); // f2
    apply(b, AddReview{test::review("b", kMorning + 50, Grade::easy)});
    apply(b, PersonalCard{"personal:1", "front", "back", {}});
    REQUIRE(first.save(a).empty());
    REQUIRE(second.save(b).empty()); // knows now what the first had saved
    REQUIRE(first.save(a).empty());
    CHECK(a == b);
    CHECK(first.load().progress == a);
    std::vector<std::string> cards;
    for (const Review& review : a.reviews)
    {
        cards.push_back(review.card);
    }
    CHECK(cards == std::vector<std::string>{"f0", "f1", "b", "a"});
    CHECK(a.flags == std::set<std::string>{"f1"});
    CHECK(a.personal.size() == 1);
}

TEST_CASE("no bit of a saved file can turn without its being seen")
{
    Progress progress = of(12);
    apply(progress, SetNote{"f3", "a note, {with} \"signs\""});
    apply(progress, SetInterview{parse_date("2026-12-05")});
    const std::string text = to_text(progress);
    REQUIRE(read_progress(text).whole);
    for (std::size_t at = 0; at < text.size(); at += 3)
    {
        std::string turned = text;
        turned[at] = static_cast<char>(turned[at] ^ (1 << (at % 8)));
        INFO(at);
        CHECK_FALSE(read_progress(turned).whole);
    }
    // Files of earlier versions have no sum.
    std::string old = text;
    old.erase(2, old.find('\n', 2) - 1);
    REQUIRE(old.find("checksum") == std::string::npos);
    CHECK(read_progress(old).whole);
    CHECK(read_progress(old).progress == progress);
}

TEST_CASE("a fault while saving is an issue, and the old file stays")
{
    const Folder folder;
    write(folder.path() / "file", "x");
    StudyStore store(folder.path() / "file"); // a file where the folder should be
    CHECK_FALSE(save(store, of(1)).empty());
    CHECK(read(folder.path() / "file") == "x");
}

TEST_CASE("each day on which something is saved has a backup as it began, and the oldest go")
{
    const Folder folder;
    StudyStore store(folder.path());
    int day = 1;
    store.today = [&] { return fmt::format("2026-11-{:02}", day); };
    for (; day <= 15; ++day)
    {
        REQUIRE(save(store, of(2 * day)).empty());
        REQUIRE(save(store, of(2 * day + 1)).empty());
    }
    const auto dated = store.dated();
    REQUIRE(dated.size() == kMostDated);
    CHECK(dated.front().day == "2026-11-15");
    CHECK(read_progress(read(dated.front().file)).progress == of(29));
    const auto restored = store.restore("2026-11-15", of(31));
    REQUIRE(restored);
    CHECK(*restored == of(29));
    CHECK_FALSE(store.restore("../progress", of(31)));
    // What there was before each of two is kept.
    REQUIRE(store.restore("2026-11-14", of(29)));
    CHECK(read_progress(read(folder.path() / "backups/before-restore-1.json")).progress == of(31));
    CHECK(read_progress(read(folder.path() / "backups/before-restore-2.json")).progress == of(29));
    for (const char* none : {"", "{}", "[1]", R"({"schema": "ringside.progress/9"})"})
    {
        CHECK_FALSE(store.restore_text(none, of(31)));
    }
    const auto other = store.restore_text(R"({"schema": "ringside.scenario/1"})", of(31));
    REQUIRE_FALSE(other);
    CHECK(other.issues().back().message == "this is no progress file");
}

TEST_CASE("a window that was stopped while it saves does not stop the others")
{
    const Folder folder;
    StudyStore store(folder.path());
    REQUIRE(save(store, of(1)).empty());
    const int held = ::open((folder.path() / "progress.lock").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(::flock(held, LOCK_EX) == 0);
    const Issues issues = save(store, of(2));
    REQUIRE(issues.size() == 1);
    CHECK(issues.front().message.find("another window") != std::string::npos);
    ::close(held);
    CHECK(save(store, of(2)).empty());
    CHECK(StudyStore(folder.path()).load().progress == of(2));
}
