#include "app/files/lesson_files.h"

#include "app/files/asset_file.h"
#include "core/base/text/folder.h"
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
    for (const auto& file : files_below(folder))
    {
        if (file.extension() != ".md")
        {
            continue;
        }
        const auto text = read_plain(file, kMostBytes);
        auto page = text ? read_guide_page(*text) : Result<GuidePage>(text.issues());
        if (page)
        {
            guide.emplace(file.stem().string(), std::move(*page));
        }
        else
        {
            add_below(issues, page.issues(), "guide/" + file.lexically_relative(folder).generic_string());
        }
    }
    return guide;
}

std::filesystem::path finished_file()
{
    return config_folder() / "lessons.json";
}

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
        append(issues, found);
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
    const auto finished = [](const nlohmann::json& file) -> Result<std::set<std::string>>
    {
        const bool good = file.is_object() && file.value("schema", nlohmann::json()) == kSchema &&
                          file.contains("finished") && file["finished"].is_array();
        if (!good)
        {
            return Issue{"schema", "is of another kind or version",
                         fmt::format("it should say \"{}\"", kSchema)};
        }
        std::set<std::string> ids;
        for (const nlohmann::json& id : file["finished"])
        {
            ids.insert(id.is_string() ? id.get<std::string>() : std::string());
        }
        ids.erase("");
        return ids;
    };
    return read_own(finished_file(), "the list of finished lessons", finished, issues)
        .value_or(std::set<std::string>());
}

Issues save_finished(const std::set<std::string>& ids)
{
    const nlohmann::json out{{"schema", kSchema}, {"finished", ids}};
    return save_text(finished_file(), out.dump(2) + "\n");
}

} // namespace ringside
