// Keeps a person's progress on disk: $XDG_DATA_HOME/ringside/progress.json and one backup of the last good
// one. Nothing that can be read is ever lost: a damaged file is kept aside under another name.
#pragma once

#include "app/files/files.h"
#include "core/study/progress/progress.h"

#include <filesystem>
#include <functional>

namespace ringside
{

class StudyStore
{
public:
    explicit StudyStore(std::filesystem::path folder = data_folder());

    struct Loaded
    {
        Progress progress;
        std::string message; // for the person, where something was not as it should be; else empty
        Issues issues;       // every fault of the file
    };
    // The file; where it is not whole, the backup together with what the file still holds. A file of a later
    // version is kept aside, too.
    Loaded load();
    // Backs up the last good file, then writes the new one beside it and renames it over. On a fault the old
    // one stays, and so does the backup.
    Issues save(const Progress& progress);

    std::filesystem::path file() const { return folder_ / "progress.json"; }
    std::filesystem::path backup() const { return folder_ / "progress.backup.json"; }

    // Called before each stage of saving; a test that throws here has killed the program there.
    std::function<void(const char* stage)> before_stage = [](const char*) {};

private:
    std::filesystem::path keep_aside() const;

    std::filesystem::path folder_;
    bool locked_ = false; // what is there is damaged and could not be kept aside
};

} // namespace ringside
