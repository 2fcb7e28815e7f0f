#include "app/files/study_store.h"

#include <fmt/format.h>

#include "app/files/files.h"

#include <algorithm>

namespace ringside
{

namespace fs = std::filesystem;

namespace
{

constexpr std::size_t kMostBytes = 256U << 20U; // a million reviews and more

std::optional<ProgressRead> read_file(const fs::path& path)
{
    std::error_code none;
    if (!fs::exists(path, none))
    {
        return std::nullopt;
    }
    const auto text = read_text(path.string(), kMostBytes);
    if (!text)
    {
        ProgressRead read;
        read.whole = false;
        read.foreign = true;
        read.issues = text.issues();
        return read;
    }
    return read_progress(*text);
}

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

// A copy under a free name; where nothing can be copied, the file itself.
fs::path StudyStore::keep_aside() const
{
    std::error_code none;
    fs::path aside;
    for (int number = 1; aside.empty() || fs::exists(aside, none); ++number)
    {
        aside = folder_ / fmt::format("progress.damaged-{}.json", number);
    }
    if (fs::copy_file(file(), aside, none))
    {
        return aside;
    }
    fs::rename(file(), aside, none);
    return none ? fs::path() : aside;
}

StudyStore::Loaded StudyStore::load()
{
    const auto main = read_file(file());
    if (main && main->whole)
    {
        return {main->progress, "", {}};
    }
    const auto spare = read_file(backup());
    if (!main)
    {
        return from_backup(spare);
    }
    const bool helped = spare && !spare->foreign;
    Loaded loaded{helped ? joined(*main, spare->progress) : main->progress, "", main->issues};
    const fs::path aside = keep_aside();
    locked_ = aside.empty();
    loaded.message = fmt::format("The progress file was damaged: {} could be read{}. {}",
                                 count_of(loaded.progress), helped ? ", with the backup's" : "",
                                 locked_ ? "It cannot be copied, so nothing will be saved over it."
                                         : "The old file is kept as " + aside.filename().string() + ".");
    return loaded;
}

Issues StudyStore::save(const Progress& progress)
{
    if (locked_)
    {
        return {{file().string(), "is damaged and could not be kept aside, so it is not written over",
                 "move it away by hand"}};
    }
    before_stage("backup");
    std::error_code none;
    const auto old = fs::exists(file(), none) ? read_file(file()) : std::nullopt;
    if (old && old->whole)
    {
        Issues issues = save_text(backup(), to_text(old->progress));
        if (has_errors(issues))
        {
            return issues;
        }
    }
    before_stage("write");
    Issues issues = save_text(file(), to_text(progress));
    before_stage("done");
    return issues;
}

} // namespace ringside
