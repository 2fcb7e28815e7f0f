#include "app/files/study_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/study/progress/calendar.h"
#include "core/study/progress/merge.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

namespace ringside
{

namespace fs = std::filesystem;

namespace
{

constexpr int kLockPatience = 100; // times to ask for it
constexpr std::chrono::milliseconds kLockPause{20};
constexpr std::string_view kDatedBegins = "progress-";
constexpr std::string_view kDamaged = "progress.damaged";

// What the file holds; nothing where there is none.
std::optional<ProgressRead> read_spare(const fs::path& path)
{
    const auto text = read_plain(path, kMostProgressBytes);
    return text ? std::optional(read_progress(*text)) : std::nullopt;
}

// One program at a time looks at the file and writes it.
class FolderLock
{
public:
    explicit FolderLock(const fs::path& folder)
    {
        std::error_code none;
        fs::create_directories(folder, none);
        file_ = ::open((folder / "progress.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file_ >= 0)
        {
            take();
        }
    }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock() { ::close(file_); }

    // Another program has it, and has not let go of it for 2 s: it may have been stopped.
    bool is_held_elsewhere() const { return is_held_elsewhere_; }

private:
    // Where a file system has no locks, the last look decides.
    void take()
    {
        for (int i = 0; i < kLockPatience; ++i)
        {
            is_held_elsewhere_ = ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
            if (!is_held_elsewhere_)
            {
                return;
            }
            std::this_thread::sleep_for(kLockPause);
        }
    }

    bool is_held_elsewhere_ = false;
    int file_ = -1;
};

// What the broken file still holds, over what the backup has: reviews of both, the rest of whichever has
// more.
Progress joined(const ProgressRead& broken, const Progress& backup)
{
    Progress progress = broken.progress;
    const auto take = [](auto& into, const auto& from)
    {
        if (into.size() < from.size())
        {
            into = from;
        }
    };
    merge(progress, backup.reviews);
    take(progress.flags, backup.flags);
    take(progress.suspended, backup.suspended);
    take(progress.notes, backup.notes);
    take(progress.skills, backup.skills);
    take(progress.tasks, backup.tasks);
    take(progress.guesses, backup.guesses);
    take(progress.lesson_places, backup.lesson_places);
    take(progress.personal, backup.personal);
    progress.interview = progress.interview ? progress.interview : backup.interview;
    progress.plan_start = progress.plan_start ? progress.plan_start : backup.plan_start;
    progress.retention = broken.foreign ? backup.retention : progress.retention;
    progress.weights = broken.foreign ? backup.weights : progress.weights;
    return progress;
}

std::string count_of(const Progress& progress)
{
    const std::size_t n = progress.reviews.size();
    return fmt::format("{} {}", n, n == 1 ? "review" : "reviews");
}

// Nothing is left but the backup.
StudyStore::Loaded from_backup(const std::optional<ProgressRead>& backup)
{
    if (!backup || backup->foreign)
    {
        return {};
    }
    return {backup->progress,
            fmt::format("The progress file was gone; its backup gave back {}.", count_of(backup->progress)),
            backup->issues};
}

} // namespace

StudyStore::StudyStore(fs::path folder) : folder_(std::move(folder)) {}

// A copy under a free name of this stem, or the one that was made before.
fs::path StudyStore::keep_aside(std::string_view stem, const std::string& text) const
{
    std::error_code none;
    for (int number = 1;; ++number)
    {
        const fs::path aside = folder_ / fmt::format("{}-{}.json", stem, number);
        const auto there = read_plain(aside, kMostProgressBytes);
        if (there && *there == text)
        {
            return aside;
        }
        if (!fs::exists(aside, none))
        {
            return has_errors(save_text(aside, text)) ? fs::path() : aside;
        }
    }
}

Result<std::string> StudyStore::text_now() const
{
    std::error_code none;
    const bool gone = fs::status(file(), none).type() == fs::file_type::not_found;
    return gone ? Result<std::string>(std::string()) : read_plain(file(), kMostProgressBytes);
}

StudyStore::Loaded StudyStore::refuse(std::string why, Loaded loaded)
{
    locked_ = std::move(why);
    loaded.message =
        fmt::format("The progress file {}. It stays as it is, and nothing is saved in this session: {}",
                    locked_, file().string());
    return loaded;
}

StudyStore::Loaded StudyStore::load()
{
    locked_.clear();
    const auto spare = read_spare(backup());
    const auto text = text_now();
    if (!text)
    {
        return refuse(text.issues().front().message,
                      {spare ? spare->progress : Progress(), "", text.issues()});
    }
    if (text->empty())
    {
        seen_ = {};
        return from_backup(spare);
    }
    const ProgressRead main = read_progress(*text);
    seen_ = {checksum(*text), main.progress, main.whole};
    if (main.whole)
    {
        return {main.progress, "", {}};
    }
    if (is_later_progress(*text))
    {
        return refuse("is of a later version of Ringside", {Progress(), "", main.issues});
    }
    const bool helped = spare && !spare->foreign;
    Loaded loaded{helped ? joined(main, spare->progress) : main.progress, "", main.issues};
    const fs::path aside = keep_aside(kDamaged, *text);
    if (aside.empty())
    {
        return refuse("is damaged and cannot be copied", std::move(loaded));
    }
    loaded.message = fmt::format(
        "The progress file was damaged: {} could be read{}. The old file is kept as {}.",
        count_of(loaded.progress), helped ? ", with the backup's" : "", aside.filename().string());
    return loaded;
}

// Another window has saved: what it changed since both knew the same is changed here too.
Issues StudyStore::take_in(const std::string& text, Progress& progress)
{
    const ProgressRead theirs = text.empty() ? ProgressRead{seen_.progress, {}} : read_progress(text);
    if (is_later_progress(text) || (!theirs.whole && keep_aside(kDamaged, text).empty()))
    {
        return {{file().string(), "has been changed by something else, and cannot be read",
                 "move it away, then continue"}};
    }
    progress = merged(seen_.progress, std::move(progress), theirs.progress);
    seen_.whole = theirs.whole;
    return {};
}

// The first of a day; the oldest go.
Issues StudyStore::back_up(const std::string& text) const
{
    const fs::path path = folder_ / "backups" / fmt::format("{}{}.json", kDatedBegins, today());
    std::error_code none;
    if (fs::exists(path, none))
    {
        return {};
    }
    Issues issues = save_text(path, text);
    const auto all = dated();
    for (std::size_t i = kMostDated; i < all.size(); ++i)
    {
        fs::remove(all[i].file, none);
    }
    return issues;
}

std::vector<StudyStore::Dated> StudyStore::dated() const
{
    std::vector<Dated> all;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_ / "backups", none))
    {
        const std::string name = entry.path().stem().string();
        if (name.starts_with(kDatedBegins) && entry.path().extension() == ".json" &&
            parse_date(name.substr(kDatedBegins.size())))
        {
            all.push_back({name.substr(kDatedBegins.size()), entry.path()});
        }
    }
    std::ranges::sort(all, std::greater<>(), &Dated::day);
    return all;
}

Result<Progress> StudyStore::restore(const std::string& day, const Progress& now) const
{
    const auto all = dated();
    const auto chosen = std::ranges::find(all, day, &Dated::day);
    const auto text =
        chosen == all.end()
            ? Result<std::string>(Issue{"backup", "there is none of " + day, "choose another day"})
            : read_plain(chosen->file, kMostProgressBytes);
    return text ? restore_text(*text, now) : Result<Progress>(text.issues());
}

Result<Progress> StudyStore::restore_text(std::string_view text, const Progress& now) const
{
    ProgressRead read = read_progress(text);
    if (!read.whole || read.foreign)
    {
        return read.issues;
    }
    if (keep_aside("backups/before-restore", to_text(now)).empty())
    {
        return Issue{(folder_ / "backups").string(), "what there is now cannot be kept there first",
                     "make room, or check its rights"};
    }
    return std::move(read.progress);
}

std::string StudyStore::session_text() const
{
    constexpr std::size_t kMostSession = 8U << 20U;
    const auto text = read_plain(session_file(), kMostSession);
    return text ? *text : std::string();
}

Issues StudyStore::save_session(std::string_view text)
{
    std::error_code none;
    if (text.empty())
    {
        fs::remove(session_file(), none);
        return {};
    }
    return save_text(session_file(), text);
}

Issues StudyStore::save(Progress& progress)
{
    if (!locked_.empty())
    {
        return {{file().string(), locked_ + ", so it is not written over", "move it away, then start again"}};
    }
    before_stage("backup");
    const FolderLock lock(folder_);
    if (lock.is_held_elsewhere())
    {
        return {{(folder_ / "progress.lock").string(),
                 "another window of Ringside holds it and does not let go",
                 "close that window; the next answer saves this one too"}};
    }
    const auto old = text_now();
    Issues issues =
        old ? Issues() : Issues{{file().string(), old.issues().front().message, old.issues().front().hint}};
    if (old && checksum(*old) != seen_.sum)
    {
        issues = take_in(*old, progress);
    }
    if (issues.empty() && !old->empty() && seen_.whole)
    {
        issues = save_text(backup(), *old);
        append(issues, back_up(*old));
    }
    if (has_errors(issues))
    {
        return issues;
    }
    before_stage("write");
    const std::string text = to_text(progress);
    issues = save_text(file(), text);
    if (!has_errors(issues))
    {
        seen_ = {checksum(text), progress, true};
    }
    before_stage("done");
    return issues;
}

} // namespace ringside
