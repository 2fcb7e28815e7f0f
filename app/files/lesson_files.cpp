#include "app/files/lesson_files.h"

#include "app/files/asset_file.h"
#include "app/files/files.h"
#include "core/scenario/json.h"
#include "core/study/library/style.h"

namespace ringside
{

namespace
{

constexpr const char* kSchema = "ringside.lessons-finished/1";

// Every page of the folder; those with faults are left out and reported.
Guide load_guide(const std::filesystem::path& folder, Issues& issues)
{
    constexpr std::size_t kMostBytes = 100'000;
    Guide guide;
    std::error_code none;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder, none))
    {
        if (file.path().extension() != ".md")
        {
            continue;
        }
        const auto text = read_text(file.path().string(), kMostBytes);
        auto page = text ? read_guide_page(*text) : Result<std::string>(text.issues());
        if (page)
        {
            guide.emplace(file.path().stem().string(), std::move(*page));
        }
        else
        {
            add_below(issues, page.issues(),
                      "guide/" + file.path().lexically_relative(folder).generic_string());
        }
    }
    return guide;
}

std::filesystem::path finished_file()
{
    return config_folder() / "lessons.json";
}

} // namespace

namespace
{

std::filesystem::path lessons_folder(const std::filesystem::path& assets)
{
    std::error_code none;
    const std::filesystem::path installed = assets / "lessons";
    return std::filesystem::is_directory(installed, none) ? installed : assets.parent_path() / "lessons";
}

} // namespace

Issues check_words(const std::filesystem::path& assets)
{
    Issues issues;
    const auto rules = load_asset<std::vector<StyleRule>>(assets / "study/style.json", read_style, issues);
    for (const auto& folder :
         {lessons_folder(assets), assets / "questions", assets / "guide", assets / "study"})
    {
        const Issues found = check_style(rules, folder);
        issues.insert(issues.end(), found.begin(), found.end());
    }
    return issues;
}

Course open_course(const std::filesystem::path& assets, Issues& issues)
{
    Course course = load_course(lessons_folder(assets), issues);
    course.tracks = load_asset<std::vector<CourseTrack>>(assets / "study/tracks.json", read_tracks, issues);
    course.glossary =
        load_asset<std::vector<GlossaryTerm>>(assets / "study/glossary.json", read_glossary, issues);
    course.guide = load_guide(assets / "guide", issues);
    return course;
}

std::set<std::string> load_finished(Issues& issues)
{
    if (!std::filesystem::exists(finished_file()))
    {
        return {};
    }
    const auto read = read_json(finished_file().string());
    std::set<std::string> ids;
    const bool good = read && read->is_object() && read->value("schema", nlohmann::json()) == kSchema &&
                      read->contains("finished") && (*read)["finished"].is_array();
    if (!good)
    {
        keep_unread(finished_file(), "the list of finished lessons", issues);
        return ids;
    }
    for (const nlohmann::json& id : (*read)["finished"])
    {
        if (id.is_string())
        {
            ids.insert(id.get<std::string>());
        }
    }
    return ids;
}

Issues save_finished(const std::set<std::string>& ids)
{
    const nlohmann::json out{{"schema", kSchema}, {"finished", ids}};
    return save_text(finished_file(), out.dump(2) + "\n");
}

} // namespace ringside
