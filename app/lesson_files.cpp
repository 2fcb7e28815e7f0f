#include "app/lesson_files.h"

#include "app/asset_file.h"
#include "app/files.h"
#include "core/scenario/json.h"

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
    for (const auto& file : std::filesystem::directory_iterator(folder, none))
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
            add_below(issues, page.issues(), "guide/" + file.path().filename().string());
        }
    }
    return guide;
}

std::filesystem::path finished_file()
{
    return config_folder() / "lessons.json";
}

} // namespace

Course open_course(const std::filesystem::path& assets, Issues& issues)
{
    std::error_code none;
    const std::filesystem::path installed = assets / "lessons";
    Course course = load_course(
        std::filesystem::is_directory(installed, none) ? installed : assets / ".." / "lessons", issues);
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
    const auto text = read_text(finished_file().string(), kMaxJsonBytes);
    const auto read = text ? parse_json(*text) : Result<nlohmann::json>(text.issues());
    std::set<std::string> ids;
    const bool good = read && read->is_object() && read->value("schema", nlohmann::json()) == kSchema &&
                      read->contains("finished") && (*read)["finished"].is_array();
    if (!good)
    {
        // Kept aside, because saving would write over it.
        std::filesystem::rename(finished_file(), finished_file().string() + ".bad");
        issues.push_back({finished_file().string(), "the list of finished lessons could not be read",
                          "the old file is kept as lessons.json.bad", Severity::warning});
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
