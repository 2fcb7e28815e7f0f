#include "core/study/library/glossary.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/base/text/find.h"
#include "core/base/text/find_by.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace ringside
{

namespace
{

const JsonTable<GlossaryTerm> kTermTable{
    {
        {"id", &GlossaryTerm::id, kNeeded},
        {"term", &GlossaryTerm::term, kNeeded},
        {"also", &GlossaryTerm::also},
        {"text", &GlossaryTerm::text, kNeeded},
        {"formula", &GlossaryTerm::formula},
        {"source", &GlossaryTerm::source},
        {"view", &GlossaryTerm::view},
        {"lesson", &GlossaryTerm::lesson},
        {"related", &GlossaryTerm::related},
    },
    [](const JsonPlace& place, GlossaryTerm& term)
    {
        place.fault_if(std::ranges::find(term.also, term.term) != term.also.end(), "also",
                       fmt::format("\"{}\" is the term itself", term.term), "leave it out");
    }};

// Names are what people look for, so no two terms have the same one.
void check_twice(std::span<const GlossaryTerm> terms, Issues& issues)
{
    std::set<std::string> ids;
    std::set<std::string> names;
    for (std::size_t i = 0; i < terms.size(); ++i)
    {
        add_if(issues, !ids.insert(terms[i].id).second,
               {fmt::format("terms[{}].id", i), fmt::format("\"{}\" is another term's", terms[i].id),
                "use one of its own"});
        add_if(issues, !names.insert(folded(terms[i].term)).second,
               {fmt::format("terms[{}].term", i), fmt::format("\"{}\" is there already", terms[i].term),
                "make one of the two"});
    }
}

Issue fault(const GlossaryTerm& term, const char* what, std::string message, std::string hint)
{
    return {fmt::format("glossary.json: {}.{}", term.id, what), std::move(message), std::move(hint)};
}

void check_related(std::span<const GlossaryTerm> terms, const GlossaryTerm& term, Issues& issues)
{
    auto ids = list_of<std::string>(terms, &GlossaryTerm::id);
    for (const std::string& id : term.related)
    {
        if (id == term.id)
        {
            issues.push_back(fault(term, "related", "a term is not related to itself", "leave it out"));
        }
        else if (find_term(terms, id) == nullptr)
        {
            issues.push_back(fault(term, "related", fmt::format("there is no term \"{}\"", id),
                                   did_you_mean(id, ids, "name one of the glossary")));
        }
    }
    add_if(issues,
           std::set<std::string>(term.related.begin(), term.related.end()).size() != term.related.size(),
           fault(term, "related", "names one twice", "name each once"));
}

Findable findable_of(const GlossaryTerm& term)
{
    std::vector<std::string_view> names{term.term, term.id};
    names.insert(names.end(), term.also.begin(), term.also.end());
    return findable(names, term.text);
}

} // namespace

Result<std::vector<GlossaryTerm>> read_glossary(const nlohmann::json& file)
{
    Issues issues;
    auto terms = read_list(file, "ringside.glossary/1", "terms", kTermTable, issues);
    check_twice(terms, issues);
    std::ranges::stable_sort(terms, {}, [](const GlossaryTerm& term) { return folded(term.term); });
    return issues.empty() ? Result(std::move(terms)) : Result<std::vector<GlossaryTerm>>(std::move(issues));
}

Issues check_glossary(std::span<const GlossaryTerm> terms, std::span<const Lesson> course,
                      std::span<const std::string_view> views)
{
    Issues issues;
    for (const GlossaryTerm& term : terms)
    {
        check_related(terms, term, issues);
        add_if(issues,
               !views.empty() && !term.view.empty() && std::ranges::find(views, term.view) == views.end(),
               fault(term, "view", fmt::format("there is no view \"{}\"", term.view),
                     "ringside picture --list names them"));
        add_if(issues,
               !course.empty() && !term.lesson.empty() &&
                   std::ranges::find(course, term.lesson, &Lesson::id) == course.end(),
               fault(term, "lesson", fmt::format("there is no lesson \"{}\"", term.lesson),
                     "ringside lesson list names them"));
    }
    return issues;
}

const GlossaryTerm* find_term(std::span<const GlossaryTerm> terms, std::string_view id)
{
    return find_by(terms, id, &GlossaryTerm::id);
}

std::vector<std::size_t> search_terms(std::span<const GlossaryTerm> terms, std::string_view query)
{
    const std::string wanted = folded(query);
    auto fits = list_of<Closeness>(terms, [&](const GlossaryTerm& term)
                                   { return fit_of(findable_of(term), wanted); });
    return closest_first(fits);
}

std::vector<std::size_t> nearest_terms(std::span<const GlossaryTerm> terms, std::string_view query,
                                       std::size_t count)
{
    constexpr std::size_t kLongest = 64; // the distance costs its length
    const std::string wanted = folded(query.substr(0, kLongest));
    std::vector<std::pair<std::size_t, std::size_t>> away;
    for (std::size_t i = 0; i < terms.size(); ++i)
    {
        std::size_t least = SIZE_MAX;
        for (const std::string& name : findable_of(terms[i]).names)
        {
            least = std::min(least, edit_distance(wanted, name));
        }
        away.emplace_back(least, i);
    }
    std::ranges::sort(away);
    away.resize(std::min(count, away.size()));
    std::vector<std::size_t> nearest;
    std::ranges::transform(away, std::back_inserter(nearest), [](const auto& a) { return a.second; });
    return nearest;
}

std::string initial_of(const GlossaryTerm& term)
{
    const char first = term.term.empty() ? ' ' : term.term.front();
    const int letter = std::toupper(static_cast<unsigned char>(first));
    return letter >= 'A' && letter <= 'Z' ? std::string(1, static_cast<char>(letter)) : "0\u20139";
}

} // namespace ringside
