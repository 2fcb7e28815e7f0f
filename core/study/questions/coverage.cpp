#include "core/study/questions/coverage.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/base/place.h"
#include "core/base/text/find_by.h"
#include "core/base/text/read_text.h"
#include "core/study/questions/formula/functions/parts.h"

#include <algorithm>
#include <cctype>

namespace ringside
{

namespace
{

const JsonTable<InventoryItem> kInventoryItemTable{{
    {"id", &InventoryItem::id, kNeeded},
    {"topic", &InventoryItem::topic, kNeeded},
    {"concept", &InventoryItem::concept_id, kNeeded},
    {"kind", &InventoryItem::kind, kNeeded},
    {"difficulty", &InventoryItem::difficulty, kNeeded},
    {"errata", &InventoryItem::errata},
}};

const JsonTable<Concept> kConceptTable{{{"id", &Concept::id, kNeeded}, {"title", &Concept::title, kNeeded}}};

const JsonTable<Inventory> kInventoryTable{{
    json_schema<Inventory>("ringside.inventory/1"),
    {"concepts", &Inventory::concepts, kConceptTable, kNeeded},
    {"errata", &Inventory::errata, kNeeded},
    {"items", &Inventory::items, kInventoryItemTable},
}};

// The metrics and functions of the engine that an expression has: "memory.total_bytes", "ring_all_reduce_s".
void add_asked(std::string_view expression, std::set<std::string>& asked)
{
    const auto in_name = [](char c)
    { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
    for (std::size_t at = 0; at < expression.size();)
    {
        std::size_t end = at;
        while (end < expression.size() && in_name(expression[end]))
        {
            ++end;
        }
        const std::string_view name = expression.substr(at, end - at);
        const bool metric = name.find('.') != std::string_view::npos &&
                            std::isalpha(static_cast<unsigned char>(name.front())) != 0;
        const auto plain = study_function::arithmetic_functions();
        const bool known = find_function(name) != nullptr &&
                           std::ranges::find(plain, name, &StudyFunction::name) == plain.end();
        if (metric || (!name.empty() && known))
        {
            asked.emplace(name);
        }
        at = std::max(end, at + 1);
    }
}

void add_asked(const QuestionVariant& v, std::set<std::string>& asked)
{
    add_asked(v.key, asked);
    for (const LetSpec& let : v.lets)
    {
        add_asked(let.value, asked);
    }
    for (const SolutionStepSpec& step : v.solution)
    {
        add_asked(step.value, asked);
    }
    for (const ChoiceSpec& choice : v.choices)
    {
        add_asked(choice.value, asked);
    }
}

// Whether the engine has a say in the answer.
bool computed(const QuestionVariant& v)
{
    return v.kind == QuestionKind::numeric || v.kind == QuestionKind::diagnosis || v.best != Pick::marked ||
           v.order != ItemOrder::after || v.schedule || v.goal;
}

} // namespace

const InventoryItem* Inventory::item(std::string_view id) const
{
    return find_by(items, id, &InventoryItem::id);
}

const Concept* Inventory::find_concept(std::string_view id) const
{
    return find_by(concepts, id, &Concept::id);
}

Result<Inventory> read_inventory(std::string_view text)
{
    const auto document = parse_json(text);
    if (!document)
    {
        return document.issues();
    }
    Inventory inventory;
    Issues issues;
    kInventoryTable.read({*document, "", issues}, inventory);
    return issues.empty() ? Result<Inventory>(std::move(inventory)) : Result<Inventory>(issues);
}

Result<Inventory> load_inventory(const std::filesystem::path& assets)
{
    const auto text = read_plain(assets / "study" / "inventory.json", kMaxJsonBytes);
    auto inventory = text ? read_inventory(*text) : Result<Inventory>(text.issues());
    Issues issues;
    add_below(issues, inventory ? Issues() : inventory.issues(), "study/inventory.json");
    return inventory ? inventory : Result<Inventory>(std::move(issues));
}

std::size_t Coverage::complete() const
{
    return static_cast<std::size_t>(
        std::ranges::count_if(concepts, [](const ConceptCoverage& c) { return c.complete(); }));
}

Coverage coverage_of(const QuestionBank& bank, const Inventory& inventory, const LessonsByConcept& lessons)
{
    Coverage coverage;
    for (const Concept& c : inventory.concepts)
    {
        const auto taught = lessons.find(c.id);
        coverage.concepts.push_back(
            {.id = c.id,
             .title = c.title,
             .lessons = taught == lessons.end() ? std::set<std::string>() : taught->second});
    }
    for (const QuestionFamily& family : bank.families)
    {
        for (const QuestionVariant& v : family.variants)
        {
            const auto c = std::ranges::find(coverage.concepts, v.concept_id, &ConceptCoverage::id);
            if (c != coverage.concepts.end())
            {
                c->families.insert(family.id);
                c->engine = c->engine || computed(v);
                add_asked(v, c->metrics);
                if (!v.view.empty())
                {
                    c->views.emplace(view_of(v.view));
                }
            }
        }
    }
    return coverage;
}

namespace
{

void check_variant_references(const QuestionFamily& family, const QuestionVariant& v,
                              const QuestionBank& bank, const Inventory& inventory,
                              const std::set<std::string>& views, Issues& issues)
{
    const auto need = [&](bool there, const char* field, const std::string& id, const char* hint)
    {
        if (!there)
        {
            issues.push_back({fmt::format("{}: {}/{}.{}", family.file, family.id, v.id, field),
                              fmt::format("there is no \"{}\"", id), hint});
        }
    };
    for (const std::string& id : v.errata)
    {
        const auto& all = inventory.errata;
        need(std::ranges::find(all, id) != all.end(), "errata", id, "use an id of study/errata.json");
    }
    for (const std::string& id : v.parts)
    {
        need(find_variant(bank, id).has_value(), "parts", id, "use the id of a family");
    }
    need(inventory.find_concept(v.concept_id) != nullptr, "concept", v.concept_id,
         "use an id of study/inventory.json");
    need(v.view.empty() || views.empty() || views.contains(v.view), "view", v.view,
         "ringside picture --list names the views");
}

} // namespace

Issues check_references(const QuestionBank& bank, const Inventory& inventory,
                        const std::set<std::string>& views)
{
    Issues issues;
    for (const QuestionFamily& family : bank.families)
    {
        for (const QuestionVariant& v : family.variants)
        {
            check_variant_references(family, v, bank, inventory, views, issues);
        }
    }
    return issues;
}

} // namespace ringside
