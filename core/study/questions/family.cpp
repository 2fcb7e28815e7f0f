#include "core/study/questions/family.h"

#include "core/base/json/json_text.h"
#include "core/base/text/find_by.h"
#include "core/base/text/read_text.h"

#include <algorithm>

namespace ringside
{

const QuestionFamily* QuestionBank::family(std::string_view id) const
{
    return find_by(families, id, &QuestionFamily::id);
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
    const auto found = std::ranges::find(all, id.substr(slash + 1), &QuestionVariant::id);
    return found == all.end()
               ? std::nullopt
               : std::optional<VariantRef>({family, static_cast<std::size_t>(found - all.begin())});
}

QuestionBank load_questions(const std::filesystem::path& assets, Issues& issues)
{
    QuestionBank bank;
    for (const auto& file : json_files(assets / "questions"))
    {
        const std::string name = file.lexically_relative(assets).generic_string();
        const auto text = read_plain(file, kMaxJsonBytes);
        add_below(issues, text ? add_questions(*text, name, bank) : text.issues(), name);
    }
    return bank;
}

} // namespace ringside
