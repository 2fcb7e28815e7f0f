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
    const auto named = [&](const QuestionFamily& f, const QuestionVariant& v) {
        return f.id == id.substr(0, slash) &&
               (slash == std::string_view::npos || v.id == id.substr(slash + 1));
    };
    const auto moved = [&](const QuestionFamily&, const QuestionVariant& v)
    { return !v.was.empty() && (v.was == id || std::string_view(v.was).substr(0, v.was.find('/')) == id); };
    const auto first = [&](auto holds) -> std::optional<VariantRef>
    {
        for (const QuestionFamily& f : bank.families)
        {
            for (std::size_t i = 0; i < f.variants.size(); ++i)
            {
                if (holds(f, f.variants[i]))
                {
                    return VariantRef{&f, i};
                }
            }
        }
        return std::nullopt;
    };
    const auto found = first(named);
    return found ? found : first(moved);
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
