// `ringside progress show` and `progress restore BACKUP`: what the window keeps of the user's study.
#include "app/commands/console/options.h"
#include "app/files/study_store.h"
#include "core/base/text/text.h"
#include "core/study/progress/calendar.h"

namespace ringside
{

namespace
{

struct ProgressOptions : CommonOptions
{
    std::string backup; // of `restore`: a day, or a file
};

int run_show_progress(const ProgressOptions& o)
{
    StudyStore store;
    const StudyStore::Loaded loaded = store.load();
    const auto backups = list_of<std::string>(store.dated(), &StudyStore::Dated::day);
    if (o.json)
    {
        print_document({{"file", store.file().string()},
                        {"reviews", loaded.progress.reviews.size()},
                        {"message", loaded.message},
                        {"issues", issues_json(loaded.issues)},
                        {"backups", backups}});
    }
    else
    {
        say("{}\n{}\nbackups: {}\n", store.file().string(),
            counted(static_cast<std::int64_t>(loaded.progress.reviews.size()), "review"),
            backups.empty() ? "none" : fmt::format("{}", fmt::join(backups, ", ")));
        print_faults(loaded.message.empty() ? loaded.issues : Issues{{"progress", loaded.message, ""}});
    }
    return loaded.issues.empty() ? kDone : kNo;
}

int run_restore_progress(const ProgressOptions& o)
{
    StudyStore store;
    const StudyStore::Loaded now = store.load();
    Progress progress =
        parse_date(o.backup)
            ? or_end(store.restore(o.backup, now.progress))
            : or_end(store.restore_text(or_end(read_text(o.backup, {kMostProgressBytes})), now.progress),
                     o.backup);
    end_with(store.save(progress));
    say("{} restored; what there was before is in {}\n",
        counted(static_cast<std::int64_t>(progress.reviews.size()), "review"),
        (store.file().parent_path() / "backups").string());
    return kDone;
}

void add_show_progress_options(CLI::App& app, ProgressOptions& o)
{
    add_json(app, o);
}

void add_restore_progress_options(CLI::App& app, ProgressOptions& o)
{
    app.add_option("BACKUP", o.backup,
                   "day of a backup (2026-11-28, ringside progress show), or a progress file")
        ->required();
}

constexpr CliCommand kShowProgress = command<add_show_progress_options, run_show_progress>(
    "show", "where the progress is, what is wrong with it, and of which days there are backups; exit 1 if "
            "anything is");
constexpr CliCommand kRestoreProgress = command<add_restore_progress_options, run_restore_progress>(
    "restore", "go back to a backup; what there is now is kept first");

} // namespace

const CliCommand progress_command =
    group<kShowProgress, kRestoreProgress>("progress", "study progress: show it, go back to a backup");

} // namespace ringside
