// How much of the concepts is complete: which have a view, a computed answer, a family and a lesson.
#pragma once

#include "core/study/questions/family.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ringside
{

struct InventoryItem
{
    std::string id; // "000-Q2"
    std::string topic;
    std::string concept_id;
    QuestionKind kind = QuestionKind::recall;
    Difficulty difficulty = Difficulty::easy;
    std::vector<std::string> errata;
};

struct Concept
{
    std::string id;    // "model-state"
    std::string title; // "Model-state ledger"
};

struct Inventory
{
    std::vector<InventoryItem> items; // what questions are to ask; the tests alone have any
    std::vector<Concept> concepts;
    std::vector<std::string> errata; // ids

    const InventoryItem* item(std::string_view id) const;
    const Concept* find_concept(std::string_view id) const;
};

Result<Inventory> read_inventory(std::string_view text);
// assets/study/inventory.json.
Result<Inventory> load_inventory(const std::filesystem::path& assets);

// What a concept still lacks.
struct ConceptCoverage
{
    std::string id;
    std::string title = {};
    std::set<std::string> views = {};   // where families have their pictures
    std::set<std::string> metrics = {}; // and functions of the engine that families ask
    std::set<std::string> families = {};
    std::set<std::string> lessons = {};
    bool engine = false; // something of a family is computed: a key, a choice, an order, evidence, a goal

    bool complete() const { return !views.empty() && engine && !families.empty() && !lessons.empty(); }
};
// Ids of lessons by concept.
using LessonsByConcept = std::map<std::string, std::set<std::string>>;

struct Coverage
{
    std::vector<ConceptCoverage> concepts;

    std::size_t complete() const;
};

Coverage coverage_of(const QuestionBank& bank, const Inventory& inventory, const LessonsByConcept& lessons);

// References of the bank to what is not there: errata, concepts, parts and views (where `views` is
// not empty). Paths begin with the variant.
Issues check_references(const QuestionBank& bank, const Inventory& inventory,
                        const std::set<std::string>& views);

} // namespace ringside
