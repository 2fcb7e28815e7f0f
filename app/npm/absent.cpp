// What this module is without, as it is sent to pages: readers of other programs' files, and the study mode.
// Links name views by a list of `picture --list`.
#include <fmt/format.h>

#include "app/commands/console/input.h"
#include "app/commands/console/replayed.h"
#include "app/files/lesson_files.h"
#include "app/files/measured_file.h"
#include "app/files/model_file.h"
#include "core/base/json/json_text.h"
#include "core/launch_files/launch_files.h"
#include "core/runs/run.h"
#include "core/study/sessions/asking.h"
#include "ui/shell/view.h"

#include <map>

namespace ringside
{

namespace
{

constexpr const char* kHint = "the desktop program does";

// Ids of views and pages, and their titles.
const std::map<std::string, std::string, std::less<>>& places()
{
    static const auto all = []
    {
        std::map<std::string, std::string, std::less<>> read;
        const auto list = read_json_file(RINGSIDE_SOURCE_ASSETS "/views.json");
        for (const auto& view : list ? list->at("views") : nlohmann::json::array())
        {
            read.emplace(view.at("id"), view.at("title"));
            for (const auto& page : view.at("pages"))
            {
                read.emplace(page, view.at("title"));
            }
        }
        return read;
    }();
    return all;
}

} // namespace

const ViewInfo* find_view(std::string_view place)
{
    static ViewInfo some{};
    const auto found = places().find(place);
    some.title = found == places().end() ? "" : found->second;
    return found == places().end() ? nullptr : &some;
}

std::vector<std::string_view> view_places()
{
    std::vector<std::string_view> all;
    for (const auto& [place, title] : places())
    {
        all.push_back(place);
    }
    return all;
}

Course open_course(const std::filesystem::path& /*assets*/, Issues& /*issues*/)
{
    return {};
}

const Lesson* Course::lesson(std::string_view /*id*/) const
{
    return nullptr;
}

QuestionBank load_questions(const std::filesystem::path& /*assets*/, Issues& /*issues*/)
{
    return {};
}

Result<DeckCard> card_of(const QuestionBank& /*bank*/, std::string_view id, std::uint64_t /*seed*/)
{
    return Issue{"", fmt::format("\u201c{}\u201d: this module knows no questions", id), kHint};
}

std::string kind_of_text(std::string_view /*text*/)
{
    return {};
}

std::string kind_of_run(std::string_view /*bytes*/)
{
    return {};
}

Result<LaunchReading> read_launch_files(const LaunchRequest& /*request*/, const Presets& /*presets*/)
{
    return Issue{"", "this module reads no launch files", kHint};
}

std::string plain_text(const nlohmann::json& /*value*/)
{
    return {};
}

Issues take_model_file(nlohmann::json& /*scenario*/, const std::filesystem::path& /*folder*/,
                       Issues& /*notes*/)
{
    return {};
}

std::filesystem::path own_software_folder()
{
    return {};
}

Replayed replayed(const Scenario& /*scenario*/, const std::string& file, const ReplaySettings& /*settings*/)
{
    end_with({{file, "this module reads no requests", kHint}});
    return {};
}

} // namespace ringside
