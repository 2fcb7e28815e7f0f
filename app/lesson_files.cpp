#include "app/lesson_files.h"

#include "app/asset_file.h"
#include "app/files.h"
#include "core/scenario/json.h"

namespace ringside
{

namespace
{

constexpr const char* kSchema = "ringside.lessons-finished/1";

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
