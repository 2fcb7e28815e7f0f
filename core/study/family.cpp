#include "core/study/family.h"

#include "core/scenario/json.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace ringside
{

std::string_view name_of(QuestionKind kind)
{
    constexpr std::array<std::string_view, kQuestionKinds> kNames{"numeric",  "recall",    "comparison",
                                                                  "ordering", "diagnosis", "design"};
    return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view name_of(Difficulty difficulty)
{
    constexpr std::array<std::string_view, kDifficulties> kNames{"easy", "medium", "hard"};
    return kNames.at(static_cast<std::size_t>(difficulty));
}

const QuestionFamily* QuestionBank::family(std::string_view id) const
{
    const auto found =
        std::find_if(families.begin(), families.end(), [id](const QuestionFamily& f) { return f.id == id; });
    return found == families.end() ? nullptr : &*found;
}

std::optional<VariantRef> find_variant(const QuestionBank& bank, std::string_view id)
{
    const auto slash = id.find('/');
    const QuestionFamily* family = bank.family(id.substr(0, slash));
    if (!family || slash == std::string_view::npos)
    {
        return family ? std::optional<VariantRef>({family, 0}) : std::nullopt;
    }
    const auto& all = family->variants;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const QuestionVariant& v) { return v.id == id.substr(slash + 1); });
    return found == all.end()
               ? std::nullopt
               : std::optional<VariantRef>({family, static_cast<std::size_t>(found - all.begin())});
}

QuestionBank load_questions(const std::filesystem::path& assets, Issues& issues)
{
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(assets / "questions", none))
    {
        if (entry.path().extension() == ".json")
        {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    QuestionBank bank;
    for (const auto& file : files)
    {
        std::ifstream in(file, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        const std::string name = "questions/" + file.filename().string();
        for (Issue& issue : add_questions(text.str(), name, bank))
        {
            issue.path = issue.path.empty() ? name : name + ": " + issue.path;
            issues.push_back(std::move(issue));
        }
    }
    return bank;
}

} // namespace ringside
