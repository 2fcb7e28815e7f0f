// How much of the inventory can be asked: which items some variant asks, which concepts are complete, what is
// missing. The inventory (assets/study/inventory.json) lists ids, topics, kinds and concepts, and no
// sentences.
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

    std::string document() const { return id.substr(0, id.find('-')); } // "000"
};

struct Concept
{
    std::string id;    // "C01"
    std::string title; // "Model-state ledger"
};

struct Inventory
{
    std::vector<InventoryItem> items;
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

struct DocumentCoverage
{
    std::string document; // "000"
    std::size_t items = 0;
    std::size_t askable = 0;
};

struct Coverage
{
    std::vector<ConceptCoverage> concepts;
    std::vector<DocumentCoverage> documents;
    std::vector<std::string> missing; // ids of items nobody asks
    std::size_t items = 0;

    std::size_t complete() const;
    std::size_t askable() const { return items - missing.size(); }
};

Coverage coverage_of(const QuestionBank& bank, const Inventory& inventory, const LessonsByConcept& lessons);

// References of the bank to what is not there: sources, errata, concepts, parts and views (where `views` is
// not empty). Paths begin with the variant.
Issues check_references(const QuestionBank& bank, const Inventory& inventory,
                        const std::set<std::string>& views);

} // namespace ringside
