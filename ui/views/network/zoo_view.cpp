// What does each collective do? Which rank has what before and after, for four ranks, and what it sends.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/network/collective/cost.h"
#include "ui/shell/view.h"
#include "ui/views/network/kinds.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/pictures/cell_grid.h"

#include <algorithm>
#include <array>
#include <bit>

namespace ringside
{

namespace
{

constexpr std::int64_t kRanks = 4;

struct Entry
{
    CollectiveKind kind;
    const char* volume; // sent by one rank, of a message S
    const char* where;  // it is used
};

constexpr std::array kEntries{
    Entry{CollectiveKind::all_reduce, "2 (N\u22121)/N \u00d7 S", "data parallel, tensor parallel"},
    Entry{CollectiveKind::reduce_scatter, "(N\u22121)/N \u00d7 S", "ZeRO gradients, sequence parallel"},
    Entry{CollectiveKind::all_gather, "(N\u22121)/N \u00d7 S", "ZeRO-3 weights, sequence parallel"},
    Entry{CollectiveKind::all_to_all, "(N\u22121)/N \u00d7 S", "expert parallel, Ulysses"},
    Entry{CollectiveKind::broadcast, "S, by the root", "initial weights"},
    Entry{CollectiveKind::reduce, "S, to the root", "loss, metrics"},
};

class ZooView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    void draw_card(const Painter& painter, Rect card, const Entry& entry, bool chosen) const;

    std::size_t chosen_ = 0;
    bool hidden_ = false; // the results, until the class has said them
};

float corner(const Painter& p, Rect box)
{
    return std::min(p.px(3), box.w * 0.2F);
}

void draw_cell(const Painter& p, Rect box, Contributors held, std::string_view label)
{
    const Ink& gold = p.theme.of(Component::gradients);
    const float radius = corner(p, box);
    const int summands = std::popcount(held);
    if (summands == 0)
    {
        p.outline(box, p.theme.line, 1, radius);
    }
    const bool sum = summands > 1;
    if (summands > 0)
    {
        // Where there is no room for names its shade still says whose a chunk is.
        const auto owner = static_cast<float>(std::countr_zero(held));
        p.fill(box, sum ? gold.fill : mix(p.theme.window, gold.fill, 0.2F + 0.1F * owner), radius);
    }
    if (p.width(Type::mono_small, label) <= box.w && box.h >= p.px(14))
    {
        p.text(box.centre(), box.middle(), Type::mono_small, sum ? gold.label : p.theme.text, label,
               Align::centre);
    }
}

// "a2": chunk a of rank 2; a sum is the letter with a sigma. Nothing is named where nothing is.
std::string chunk_name(Contributors held, std::int64_t chunk)
{
    const char letter = static_cast<char>('a' + chunk);
    const int summands = std::popcount(held);
    return summands == 0  ? ""
           : summands > 1 ? fmt::format("\u03a3{}", letter)
                          : fmt::format("{}{}", letter, std::countr_zero(held));
}

// Rows of ranks and columns of chunks: what each rank has at the start, or is to have at the end. A reduction
// cut by no algorithm is shown in four chunks all the same.
void draw_table(const Painter& p, Rect area, const Entry& e, bool after, bool hidden)
{
    const bool all_to_all = e.kind == CollectiveKind::all_to_all;
    Collective c = *make_collective(e.kind, *find_algorithm("naive"), {kRanks, kRanks});
    c.chunks = all_to_all ? c.chunks : kRanks;
    const Holdings before = holdings_before(c);
    const float size = area.w / static_cast<float>(kRanks);
    const CellGrid grid{area, kRanks, kRanks, std::min(p.px(4), size * 0.15F)};
    for (std::int64_t r = 0; r < kRanks; ++r)
    {
        for (std::int64_t k = 0; k < kRanks; ++k)
        {
            if (hidden)
            {
                draw_cell(p, grid.cell(r, k), 0, "?");
                continue;
            }
            // In an all-to-all, rank r's block for rank k before, rank k's block for rank r after.
            const std::int64_t chunk = !all_to_all ? k : after ? k * kRanks + r : r * kRanks + k;
            const Contributors held =
                after ? wanted(c, r, chunk)
                      : before[static_cast<std::size_t>(r)][static_cast<std::size_t>(chunk)];
            draw_cell(p, grid.cell(r, k), held, chunk_name(held, after && all_to_all ? r : k));
        }
    }
}

constexpr float kMostCell = 64; // [design px] a table's rows and columns are no wider

// Where the words and the two tables of a card stand; empty what has no room. In a low card the tables are
// right of the words, and their cells have no names.
struct CardRoom
{
    Rect name, says, where, sends, tables;
    float gap = 0; // between the tables [px]
    bool low = false;

    float size(const Painter& p) const
    {
        return std::min({(tables.w - gap) / 2, tables.h, p.px(kMostCell) * kRanks});
    }
    bool names_cells(const Painter& p) const
    {
        const float cell = size(p) / kRanks * 0.85F;
        return !low && cell >= p.px(14) && cell >= p.width(Type::mono_small, "a0");
    }
};

CardRoom room_of(const Painter& p, Rect card)
{
    CardRoom room;
    Rect in = card.inset(p.px(card.h >= p.px(80) ? 14 : 6));
    room.low = card.h < p.px(120);
    room.gap = p.px(room.low ? 16 : 36);
    if (room.low)
    {
        float names = 0; // of the longest, so that all tables are of one size
        for (const Entry& entry : kEntries)
        {
            names = std::max(names, p.width(Type::body_strong, name_of(entry.kind)));
        }
        const bool beside = in.w - names >= p.px(80) && in.h >= p.px(28);
        room.name = beside ? in.cut_left(names) : in;
        in.cut_left(p.px(8));
        room.tables = beside ? in : Rect{};
        const float line = p.height(Type::small);
        room.sends = room.name.cut_bottom(room.name.h >= p.height(Type::body_strong) + line ? line : 0);
        return room;
    }
    const float words = card.h >= p.px(224) ? p.px(22) : 0;
    room.name = in.cut_top(p.px(24));
    room.says = in.cut_top(words);
    room.where = in.cut_bottom(words);
    room.sends = in.cut_bottom(p.px(22));
    in.cut_top(p.px(6));
    in.cut_bottom(p.px(6));
    room.tables = in;
    return room;
}

void ZooView::draw_card(const Painter& p, Rect card, const Entry& e, bool chosen) const
{
    p.card(card, chosen, false);
    const CardRoom room = room_of(p, card);
    const auto line = [&](const Rect& r, Type type, Colour ink, std::string_view words)
    {
        if (r.h > 0)
        {
            p.text_within(r.x, r.middle(), r.w, type, ink, words);
        }
    };
    line(room.name, Type::body_strong, p.theme.text, name_of(e.kind));
    line(room.says, Type::small, p.theme.muted, says_of(e.kind));
    line(room.where, Type::small, p.theme.muted, e.where);
    line(room.sends, Type::small, p.theme.muted, room.low ? e.volume : fmt::format("sends {}", e.volume));
    const float size = room.size(p);
    if (size < p.px(28))
    {
        return;
    }
    const Rect& in = room.tables;
    const float left = in.x + (in.w - 2 * size - room.gap) / 2;
    const float top = in.y + (in.h - size) / 2;
    const float middle = top + size / 2;
    draw_table(p, {left, top, size, size}, e, false, false);
    p.arrow({left + size + p.px(2), middle}, {left + size + room.gap - p.px(room.low ? 2 : 8), middle},
            p.theme.muted);
    draw_table(p, {left + size + room.gap, top, size, size}, e, true, hidden_);
}

void ZooView::draw(const Frame&, const Painter& painter, Rect area, Out&)
{
    const Rect head = area.cut_top(painter.px(26));
    area.cut_bottom(painter.px(8));
    const std::size_t columns = area.w > painter.px(700) ? 3 : area.w > painter.px(420) ? 2 : 1;
    const std::size_t rows = (kEntries.size() + columns - 1) / columns;
    const float gap = painter.px(12);
    const float w = (area.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    const float h = (area.h - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows);
    painter.text_within(
        head.x, head.middle(), head.w, Type::small, painter.theme.muted,
        room_of(painter, {0, 0, w, h}).names_cells(painter)
            ? "Rows are ranks 0 to 3; a2 is chunk a of rank 2, \u03a3a its sum over all ranks."
            : "Rows are ranks 0 to 3; shades tell whose chunk it was, bright is a sum over all.");
    for (std::size_t i = 0; i < kEntries.size(); ++i)
    {
        const Rect card{area.x + (w + gap) * static_cast<float>(i % columns),
                        area.y + (h + gap) * static_cast<float>(i / columns), w, h};
        draw_card(painter, card, kEntries.at(i), i == chosen_);
        painter.part(name_of(kEntries.at(i).kind), card);
        if (press(painter, card, fmt::format("###collective {}", name_of(kEntries.at(i).kind)).c_str())
                .clicked)
        {
            chosen_ = i;
        }
    }
}

Caption ZooView::caption(const Frame& frame) const
{
    const Entry& e = kEntries.at(chosen_);
    const CollectiveReport& c = *frame.now.report->collective;
    const CollectiveAlgorithm& algorithm =
        *find_algorithm(e.kind == CollectiveKind::all_to_all ? "naive" : "ring");
    const Links links{c.link, c.link, c.ranks};
    const CollectiveCost cost = estimate(e.kind, algorithm, c.ranks, c.message, links);
    Caption caption;
    if (c.ranks < 2)
    {
        caption.sentence = "With one rank there is nothing to send.";
        return caption;
    }
    caption.sentence = fmt::format("An {} of {} over {} ranks sends **{} per rank** in {} steps ({}).",
                                   name_of(e.kind), format_bytes(c.message, frame.preferences.unit),
                                   grouped(c.ranks), format_bytes(cost.sent_per_rank, frame.preferences.unit),
                                   cost.steps, e.kind == CollectiveKind::all_to_all ? "pairwise" : "ring");
    if (e.kind != CollectiveKind::all_reduce && e.kind != CollectiveKind::all_gather &&
        e.kind != CollectiveKind::all_to_all)
    {
        caption.sentence.erase(1, 1); // "A reduce-scatter"
    }
    caption.formula = fmt::format("{} = {};  all-reduce = reduce-scatter + all-gather", e.volume,
                                  format_bytes(cost.sent_per_rank, frame.preferences.unit));
    caption.source = algorithm.source;
    return caption;
}

bool ZooView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const CollectiveReport& c = *frame.now.report->collective;
    PanelColumn column(painter, area, out.animating);
    column.heading("Sent per rank");
    const Links links{c.link, c.link, std::max<std::int64_t>(1, c.ranks)};
    for (std::size_t i = 0; i < kEntries.size(); ++i)
    {
        const CollectiveKind kind = kEntries.at(i).kind;
        const CollectiveAlgorithm& a = *find_algorithm(kind == CollectiveKind::all_to_all ? "naive" : "ring");
        column.fact(
            name_of(kind),
            format_bytes(estimate(kind, a, c.ranks, c.message, links).sent_per_rank, frame.preferences.unit),
            {}, i == chosen_ ? FactInk::strong : FactInk::plain);
    }
    column.gap();
    if (column.button(hidden_ ? "Show the results###hide" : "Hide the results###hide", "P"))
    {
        hidden_ = !hidden_;
    }
    return true;
}

ViewKeys ZooView::keys()
{
    return {{"1 to 6", "Choose a collective", [this](const KeyPress& k) { chosen_ = k.which; }},
            {"P", "Hide the results until the class has said them", flips(hidden_)}};
}

} // namespace

extern const ViewInfo zoo_view{10,
                               "zoo",
                               ViewGroup::network,
                               "Collectives",
                               "Collectives",
                               "Which rank holds what before and after each collective, and what it sends",
                               {"collective.ranks", "collective.message_gb", "collective.latency_us"},
                               make_view<ZooView>};

} // namespace ringside
