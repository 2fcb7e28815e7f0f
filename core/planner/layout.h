// One way to cut a scenario's training over its GPUs: what a search varies.
#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <span>
#include <string>
#include <variant>

namespace ringside
{

struct Layout
{
    std::int64_t gpus = 1;
    std::int64_t tensor = 1;
    std::int64_t context = 1;
    std::int64_t pipeline = 1;
    std::int64_t chunks = 1;
    std::int64_t expert = 1;
    std::int64_t expert_tensor = 1;
    std::int64_t zero = 0;
    std::int64_t micro_batch = 1;
    bool sequence_parallel = false;
    Recompute recompute = Recompute::none;
    ScheduleKind schedule = ringside::schedule("1f1b");
    std::int64_t global_batch = 0;     // sequences; 0: as the scenario has it
    std::int64_t sequence_length = 0;  // tokens; 0: as the scenario has it
    std::int64_t recompute_layers = 0; // of each (virtual) stage with full recomputation; 0: all

    bool operator==(const Layout&) const = default;
};

struct LayoutField
{
    std::string_view name;  // of the scenario: "parallel.tensor"
    std::string_view label; // "TP"
    std::variant<std::int64_t Layout::*, bool Layout::*, Recompute Layout::*, ScheduleKind Layout::*> member;
};
std::span<const LayoutField> layout_fields();
// Whether a field has one value in both.
bool same_in(const Layout& a, const Layout& b, const LayoutField& field);
void take_in(Layout& to, const Layout& from, const LayoutField& field);
// As JSON and --set have it, without quotes.
std::string text_of(const Layout& layout, const LayoutField& field);

// "TP 8, PP 1, DP 32"; CP and EP where they are above 1.
std::string words_of(const Layout& layout);
// "full, 3 layers": of each (virtual) stage.
std::string recompute_words(const Layout& layout);

Layout layout_of(const Scenario& scenario);
std::int64_t data_of(const Layout& layout);
// With fields that mean nothing in it at their defaults.
Layout plain(Layout layout);
// Whether both run alike, whatever stands in such fields. Stages cut unevenly are not compared.
bool same_run(const Layout& a, const Layout& b);
// Layers are dealt over the stages as evenly as they go; everything else stays as it is.
void apply(const Layout& layout, Scenario& scenario);
// What no layout changes; the number of GPUs stays, and so does what a search frees only if it is told to.
Scenario without_layout(Scenario scenario);
// The overlap switches in words, which belong to no layout: a search takes them as they stand.
// "overlap of tensor on, expert off, pipeline off"
std::string overlap_words(const Scenario& scenario);
// What keeps every layout of the scenario from being tried: faults of its model, its cluster, its recipe.
// Those of its own layout and of its batch, which only some layouts divide, do not matter.
Issues search_faults(const Scenario& scenario);

} // namespace ringside
