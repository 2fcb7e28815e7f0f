// Keeps a user's progress on disk: $XDG_DATA_HOME/ringside/progress.json, one backup of the last good one
// and one of each of the last days on which anything was saved; and the round that is under way. Nothing that
// can be read is ever lost: a damaged file is kept aside under another name, one that cannot be opened or is
// of a later version stays as it is, and what another window has saved is merged.
#pragma once

#include "app/files/files.h"
#include "core/study/progress/progress.h"

#include <filesystem>
#include <functional>

namespace ringside
{

inline constexpr std::size_t kMostDated = 10;                              // backups of days
inline constexpr std::size_t kMostProgressBytes = std::size_t{256} << 20U; // a million reviews and more

class StudyStore
{
public:
    explicit StudyStore(std::filesystem::path folder = data_folder());

    struct Loaded
    {
        Progress progress;
        std::string message; // for the user, where something was not as it should be; else empty
        Issues issues;       // every fault of the file
    };
    // The file; where it is not whole, the backup together with what the file still holds.
    Loaded load();
    // Takes in what another window has saved meanwhile, backs up the last good file, then writes the new one
    // beside it and renames it over. On a fault the old one stays, and so does the backup.
    Issues save(Progress& progress);

    // A backup of a day, as that day began.
    struct Dated
    {
        std::string day; // "2026-11-28"
        std::filesystem::path file;
    };
    std::vector<Dated> dated() const; // newest first
    // What the day's backup holds, and what the text of any progress file holds. What there is now is kept
    // under a name of its own first.
    Result<Progress> restore(const std::string& day, const Progress& now) const;
    Result<Progress> restore_text(std::string_view text, const Progress& now) const;

    // The drill or mock interview under way; empty: none.
    std::string session_text() const;
    Issues save_session(std::string_view text);

    std::filesystem::path file() const { return folder_ / "progress.json"; }
    std::filesystem::path backup() const { return folder_ / "progress.backup.json"; }

    // "2026-11-28", under which the day's backup is made.
    std::function<std::string()> today = date_today;
    // Called before each stage of saving: a page exchanges its files with the browser there. A test that
    // throws here has killed the program.
    std::function<void(const char* stage)> before_stage = [](const char*) {};

private:
    // What was on disk when it was last looked at.
    struct Seen
    {
        std::uint64_t sum = 0; // checksum() of the text; 0: no file
        Progress progress;
        bool whole = false;
    };

    std::filesystem::path keep_aside(std::string_view stem, const std::string& text) const;
    // The file as it is now; nothing where it could not be opened.
    Result<std::string> text_now() const;
    Loaded refuse(std::string why, Loaded loaded);
    Issues take_in(const std::string& text, Progress& progress);
    Issues back_up(const std::string& text) const;
    std::filesystem::path session_file() const { return folder_ / "session.json"; }

    std::filesystem::path folder_;
    Seen seen_;
    std::string locked_; // why nothing may be written over what is there; empty: it may
};

} // namespace ringside
