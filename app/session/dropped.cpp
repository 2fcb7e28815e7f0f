#include "app/session/dropped.h"

#include "app/files/files.h"
#include "app/files/run_file.h"
#include "core/launch_files/source.h"

#include <filesystem>

namespace ringside
{

void take_dropped(Session& session, const std::vector<std::string>& paths)
{
    const auto files = run_files(paths);
    if (!files)
    {
        session.fail("Not read", files.issues());
        return;
    }
    if (is_of_run(*files))
    {
        session.take_run(*files);
        return;
    }
    for (const RunFile& file : *files)
    {
        const auto text = read_text(file.name, {.limit = kMaxLaunchBytes, .plain = true});
        text ? session.take_text(*text, std::filesystem::path(file.name).filename().string())
             : session.fail("Not read: " + file.name, text.issues());
    }
}

} // namespace ringside
