// The two charts of a longer sequence, FLOPs and memory, over the same axis of tokens, and what the
// panel says of doubling it.
#pragma once

#include "core/base/derived.h"
#include "core/memory/context_length.h"
#include "core/memory/sparse_attention.h"
#include "ui/shell/paged_view.h"

#include <optional>
#include <vector>

namespace ringside
{

// Everything drawn of a scenario, for every length.
struct ContextCurves
{
    ContextFlops flops;
    std::vector<ContextMemory> memory;        // ascending
    std::vector<ContextMemory> stored_scores; // the same without flash attention and recomputation
    double capacity = 0;                      // [B]
};

ContextCurves context_curves(const Evaluated& now);

struct ContextLook
{
    Mask mask = Mask::full;
    std::int64_t tokens = 1; // where the marker stands
    ByteUnit unit = ByteUnit::decimal;
};

struct ContextState
{
    Mask mask = Mask::full;
    Derived<Scenario, ContextCurves> curves;
    SparseSetup sparse;
    double tokens = kSparseTokens; // before the one that sparse attention is worked out for
};
using ContextRoom = PageRoom<ContextState>;

extern const Page<ContextState> kContextSparse;

// Returns the length the marker was moved to.
std::optional<double> draw_context_flops(const Painter& painter, Rect area, const ContextCurves& curves,
                                         const ContextLook& look, Out& out);
std::optional<double> draw_context_memory(const Painter& painter, Rect area, const ContextCurves& curves,
                                          const ContextLook& look, Out& out);
// What twice the tokens multiply, part by part.
void draw_doubling(const Painter& painter, PanelColumn& column, const ContextCurves& curves,
                   const ContextLook& look);

Caption context_caption(const ContextCurves& curves, const ContextLook& look);
// "8 Ki", "128 Ki", "1 Mi"; other lengths in full.
std::string length_words(double tokens);

} // namespace ringside
