#include "app/session/dropped.h"

#include "app/files/files.h"
#include "app/files/model_file.h"
#include "app/files/run_file.h"
#include "core/base/json/json.h"
#include "core/base/json/json_text.h"
#include "core/launch_files/launch_files.h"
#include "core/scenario/model_file.h"

#include <filesystem>

namespace ringside
{

namespace
{

// A scenario whose model is a file's, with the shape in the place of the name.
Result<std::string> with_model_beside(const std::string& text, const std::string& file)
{
    auto document = parse_json(text);
    if (!document || is_model_file(*document))
    {
        return text;
    }
    Issues notes;
    const nlohmann::json before = *document;
    const Issues issues = take_model_file(*document, std::filesystem::path(file).parent_path(), notes);
    if (!issues.empty())
    {
        return issues;
    }
    return *document == before ? text : document->dump();
}

} // namespace

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
    std::vector<LaunchText> texts;
    for (const RunFile& file : *files)
    {
        auto text = read_text(file.name, {.limit = kMaxLaunchBytes, .plain = true});
        text = text ? with_model_beside(*text, file.name) : text;
        if (!text)
        {
            session.fail("Not read: " + file.name, text.issues());
            return;
        }
        texts.push_back({std::filesystem::path(file.name).filename().string(), std::move(*text)});
    }
    session.take_texts(texts);
}

} // namespace ringside
