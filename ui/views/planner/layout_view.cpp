// Which link carries what: every GPU of the cluster in its domain, the groups of one of them, the bytes of
// every axis on every link, and the order of ranks that decides it.
// One file, since map, axes and groups show one choice of rank and order.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/model/sizes.h"
#include "core/network/topology.h"
#include "core/network/traffic.h"
#include "ui/shell/view.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/fill.h"
#include "ui/widgets/link_table.h"
#include "ui/widgets/pictures/cluster_map.h"
#include "ui/widgets/swipe.h"
#include "ui/widgets/table.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array kAllAxes{Axis::tensor, Axis::pipeline, Axis::data, Axis::context, Axis::expert};
constexpr std::array<std::string_view, kAxes> kSegments{"tensor", "pipeline", "data", "context", "expert"};
constexpr std::array<std::string_view, kAxes> kShort{"TP", "CP", "EP", "DP", "PP"}; // by Axis
constexpr std::int64_t kChosenAtFirst = 75;
constexpr float kMostZoom = 64;

class LayoutView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    // What is known of one scenario and one order.
    struct Known
    {
        Scenario scenario;
        RankGrid grid;
        Topology topology;
        OrderCost best;
    };

    const Known& known(const Frame& frame) const;
    std::int64_t lit(const Known& k) const;
    Axis by(const Known& k) const;
    void draw_order(const Known& k, const Painter& painter, Rect row);
    void draw_chip(const Known& k, const Painter& painter, Rect chip, Axis axis, Rect all);
    void draw_cost(const Known& k, const Painter& painter, Rect row);
    void draw_tools(const Known& k, const Painter& painter, Rect row);
    void draw_map(const Known& k, const Painter& painter, Rect area);
    void mouse(const Painter& painter, const MapGeometry& map, Rect whole);
    void draw_tip(const Known& k, const Painter& painter, Rect bounds, std::int64_t rank) const;

    AxisOrder order_ = kMegatronOrder;
    std::optional<Axis> by_; // none yet: the outermost that is cut
    std::int64_t chosen_ = kChosenAtFirst;
    std::optional<std::int64_t> hovered_;
    MapZoom zoom_;
    Derived<std::pair<Scenario, AxisOrder>, Known> known_;
};

const LayoutView::Known& LayoutView::known(const Frame& frame) const
{
    const auto make = [&](const std::pair<Scenario, AxisOrder>& from)
    {
        const auto& [s, order] = from;
        const MemoryReport& memory = frame.now.report->memory;
        return Known{s, RankGrid(s, order), topology(s, memory, order), best_order(s, memory, order)};
    };
    return known_.of({frame.now.scenario, order_}, make);
}

std::int64_t LayoutView::lit(const Known& k) const
{
    const std::int64_t chosen = chosen_ < k.grid.gpus() ? chosen_ : k.grid.gpus() / 3;
    return hovered_ && *hovered_ < k.grid.gpus() ? *hovered_ : chosen;
}

Axis LayoutView::by(const Known& k) const
{
    Axis outermost = Axis::pipeline;
    for (const Axis axis : kMegatronOrder)
    {
        outermost = k.grid.size(axis) > 1 ? axis : outermost;
    }
    return by_.value_or(outermost);
}

void LayoutView::draw_chip(const Known& k, const Painter& painter, Rect chip, Axis axis, Rect all)
{
    const Theme& t = painter.theme;
    const auto i = static_cast<std::size_t>(axis);
    const std::string size = grouped(k.grid.size(axis));
    const bool active = k.grid.active(axis);
    const Press pressed = press(painter, chip, fmt::format("###order {}", name_of(axis)).c_str());
    tooltip(painter,
            "Drag, or \u2190 and \u2192: the leftmost axis varies fastest, so its ranks are nearest");
    const auto place =
        static_cast<std::size_t>(std::find(order_.begin(), order_.end(), axis) - order_.begin());
    if (pressed.held && ImGui::IsMouseDragging(0, 3))
    {
        const float at = (ImGui::GetIO().MousePos.x - all.x) / all.w * static_cast<float>(kAxes);
        order_ = moved(order_, axis, static_cast<std::size_t>(std::clamp(at, 0.0F, kAxes - 1.0F)));
    }
    if (ImGui::IsItemFocused())
    {
        const ImGuiID id = ImGui::GetItemID();
        ImGui::SetKeyOwner(ImGuiKey_LeftArrow, id);
        ImGui::SetKeyOwner(ImGuiKey_RightArrow, id);
        if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow, id) && place > 0)
        {
            order_ = moved(order_, axis, place - 1);
        }
        if (ImGui::IsKeyPressed(ImGuiKey_RightArrow, id))
        {
            order_ = moved(order_, axis, place + 1);
        }
    }
    painter.fill(chip, pressed.hovered || pressed.held ? t.raised : t.control, painter.px(6));
    painter.outline(chip, pressed.held ? t.text : t.line, 1, painter.px(6));
    const Ink& ink = axis_ink(t, axis);
    painter.fill({chip.x, chip.y, painter.px(5), chip.h}, active ? ink.fill : dim(t, ink.fill),
                 painter.px(2));
    const float room = chip.w - painter.px(26) - painter.width(Type::mono_small, size);
    const std::string_view name =
        painter.width(Type::small_strong, name_of(axis)) <= room ? name_of(axis) : kShort[i];
    painter.text_within(chip.x + painter.px(12), chip.middle(), room,
                        active ? Type::small_strong : Type::small, active ? t.text : t.muted, name);
    painter.text(chip.right() - painter.px(8), chip.middle(), Type::mono_small, active ? t.text : t.muted,
                 size, Align::right);
}

void LayoutView::draw_order(const Known& k, const Painter& painter, Rect row)
{
    const bool roomy = row.w > painter.px(800);
    if (row.w > painter.px(600))
    {
        draw_cost(k, painter, row.cut_right(painter.px(roomy ? 250.0F : 190.0F)));
        row.cut_right(painter.px(16));
    }
    const float gap = painter.px(6);
    const float pitch = std::min((row.w + gap) / static_cast<float>(kAxes), painter.px(140));
    row.w = pitch * static_cast<float>(kAxes);
    const AxisOrder order = order_; // chips of this frame, whatever is moved meanwhile
    for (std::size_t i = 0; i < kAxes; ++i)
    {
        draw_chip(k, painter, {row.x + pitch * static_cast<float>(i), row.y, pitch - gap, row.h}, order[i],
                  row);
    }
}

// What this order costs, and the best; pressing it takes the best.
void LayoutView::draw_cost(const Known& k, const Painter& painter, Rect row)
{
    const Theme& t = painter.theme;
    const std::string now = format_seconds(k.topology.total);
    if (k.best.order == k.topology.order)
    {
        const std::string words = painter.shortened(
            Type::small, fmt::format("fastest order, {} at full rate", now), row.w - painter.px(24));
        const float at = row.right() - painter.width(Type::small, words);
        painter.text(at, row.middle(), Type::small, t.text, words);
        painter.tick(at - painter.px(24), row.middle(), t.ok);
        return;
    }
    const std::string best = format_seconds(k.best.total);
    const std::string label = fmt::format("fastest {}###best order", best);
    const float w = painter.width(Type::small_strong, "fastest " + best) + painter.px(56);
    if (button(painter, {row.right() - w, row.y, w, row.h}, label.c_str(), "O"))
    {
        order_ = k.best.order;
    }
    tooltip(painter, fmt::format("{} takes {}, this order {}: {} less", order_name(k.best.order), best, now,
                                 format_percent(1 - k.best.total / k.topology.total)));
    const std::string words = painter.shortened(Type::small, "now " + now, row.w - w - painter.px(12));
    painter.text(row.right() - w - painter.px(12), row.middle(), Type::small, t.text, words, Align::right);
}

void LayoutView::draw_tools(const Known& k, const Painter& painter, Rect row)
{
    const Theme& t = painter.theme;
    Rect words = row;
    words.w = std::min(row.w, painter.px(440));
    const auto at =
        static_cast<std::size_t>(std::find(kAllAxes.begin(), kAllAxes.end(), by(k)) - kAllAxes.begin());
    if (const auto chosen = segments(painter, words, kSegments, at))
    {
        by_ = kAllAxes[*chosen];
    }
    const Axis shown = by(k);
    const std::int64_t size = k.grid.size(shown);
    row.cut_left(words.w + painter.px(24));
    if (row.w < painter.px(230))
    {
        return;
    }
    if (size == 1)
    {
        painter.text(row.right(), row.middle(), Type::small, t.muted, fmt::format("{} = 1", name_of(shown)),
                     Align::right);
        return;
    }
    const std::string last = grouped(size - 1);
    painter.text(row.right(), row.middle(), Type::mono_small, t.muted, last, Align::right);
    const float right = row.right() - painter.width(Type::mono_small, last) - painter.px(8);
    const auto steps = static_cast<float>(std::min<std::int64_t>(size, 12));
    const Rect ramp{right - painter.px(110), row.middle() - painter.px(6), painter.px(110), painter.px(12)};
    for (float i = 0; i < steps; ++i)
    {
        painter.fill({ramp.x + ramp.w * i / steps, ramp.y, ramp.w / steps, ramp.h},
                     coordinate_colour(t, std::lround(i), std::lround(steps)));
    }
    painter.text(ramp.x - painter.px(8), row.middle(), Type::small, t.muted,
                 fmt::format("{} 0", coordinate_word(shown)), Align::right);
}

namespace
{

// The GPUs in sight, every so manyth where they are small.
void list_marks(const Painter& painter, const MapGeometry& map)
{
    constexpr float kApart = 10; // [design px]
    const auto every =
        std::max<std::int64_t>(1, std::lround(painter.px(kApart) / std::max(0.1F, map.cell_size())));
    for (std::int64_t rank = 0; rank < map.grid().gpus(); rank += every)
    {
        painter.mark(map.cell(rank));
    }
}

} // namespace

void LayoutView::mouse(const Painter& painter, const MapGeometry& map, Rect whole)
{
    const ImGuiIO& io = ImGui::GetIO();
    hovered_.reset();
    list_marks(painter, map);
    if (!painter.points_in(whole) || ImGui::IsAnyItemActive())
    {
        return;
    }
    hovered_ = map.at(io.MousePos);
    const Rect field = map.area();
    if (io.MouseWheel != 0 && is_swipe())
    {
        zoom_.pan.y += io.MouseWheel * painter.px(kSwipedByClick);
    }
    else if (io.MouseWheel != 0)
    {
        // The card under the mouse stays there.
        const ImVec2 corner = map.card(0).min();
        const ImVec2 at{(io.MousePos.x - corner.x) / map.pitch_x(),
                        (io.MousePos.y - corner.y) / map.pitch_y()};
        zoom_ = {std::clamp(zoom_.zoom * std::pow(1.2F, io.MouseWheel), 1.0F, kMostZoom), {0, 0}};
        const MapGeometry next(painter, field, map.grid(), map.layout(), zoom_);
        const ImVec2 to = next.card(0).min();
        zoom_.pan = {io.MousePos.x - to.x - at.x * next.pitch_x(),
                     io.MousePos.y - to.y - at.y * next.pitch_y()};
    }
    if (ImGui::IsMouseDragging(0, 4) && whole.contains(io.MouseClickedPos[0]))
    {
        zoom_.pan.x += io.MouseDelta.x;
        zoom_.pan.y += io.MouseDelta.y;
    }
    else if (ImGui::IsMouseReleased(0) && hovered_ && whole.contains(io.MouseClickedPos[0]))
    {
        chosen_ = *hovered_;
    }
    if (ImGui::IsMouseDoubleClicked(0))
    {
        zoom_ = MapZoom();
    }
    const MapGeometry now(painter, field, map.grid(), map.layout(), zoom_);
    const auto most = [](float room, float pitch, std::int64_t count)
    { return std::min(0.0F, room - pitch * static_cast<float>(count)); };
    zoom_.pan.x = std::clamp(zoom_.pan.x, most(field.w, now.pitch_x(), map.layout().columns), 0.0F);
    zoom_.pan.y = std::clamp(zoom_.pan.y, most(field.h, now.pitch_y(), map.layout().rows), 0.0F);
}

void LayoutView::draw_tip(const Known& k, const Painter& painter, Rect bounds, std::int64_t rank) const
{
    std::vector<TipLine> lines;
    for (const Axis axis : k.grid.order())
    {
        if (k.grid.size(axis) > 1)
        {
            lines.push_back(
                {std::string(coordinate_word(axis)),
                 fmt::format("{} of {}", k.grid.position(rank, group_of(axis)), k.grid.size(axis)),
                 axis_ink(painter.theme, axis).fill});
        }
    }
    tip_card(painter, bounds, ImGui::GetIO().MousePos,
             fmt::format("GPU {}, {} {}, slot {}", grouped(rank), domain_word(k.grid),
                         grouped(k.grid.domain(rank)), k.grid.slot(rank)),
             lines);
}

void LayoutView::draw_map(const Known& k, const Painter& painter, Rect area)
{
    MapLayout layout = map_layout(k.grid, static_cast<double>(area.w), static_cast<double>(area.h));
    Rect field = map_field(painter, area, layout);
    layout = map_layout(k.grid, static_cast<double>(field.w), static_cast<double>(field.h));
    field = map_field(painter, area, layout);
    mouse(painter, MapGeometry(painter, field, k.grid, layout, zoom_), area);
    const MapGeometry map(painter, field, k.grid, layout, zoom_);
    draw_cluster_map(painter, area, map, {by(k), lit(k)});
    if (hovered_)
    {
        draw_tip(k, painter, area, *hovered_);
    }
}

void LayoutView::draw(const Frame& frame, const Painter& painter, Rect area, Out&)
{
    if (frame.now.scenario.cluster.gpus < 2)
    {
        empty_state(painter, area, "One GPU: no communication.",
                    "Raise \u201cGPUs\u201d to see traffic on links.");
        return;
    }
    const AxisOrder before = order_;
    const Known& k = known(frame);
    if (area.h > painter.px(120))
    {
        painter.part("order", {area.x, area.y, area.w, painter.px(32)});
        draw_order(k, painter, area.cut_top(painter.px(32)));
        area.cut_top(painter.px(8));
    }
    if (area.h > painter.px(160))
    {
        draw_tools(k, painter, area.cut_top(painter.px(28)));
        area.cut_top(painter.px(10));
    }
    const float table = link_table_height(painter);
    if (area.h > table + painter.px(110))
    {
        painter.part("links", {area.x, area.bottom() - table, area.w, table});
        draw_link_table(painter, area.cut_bottom(table), k.topology, k.scenario, domain_word(k.grid));
        area.cut_bottom(painter.px(8));
    }
    painter.part("map", area);
    draw_map(order_ == before ? k : known(frame), painter, area);
}

// At best, with the NICs of all its members in use; with one of them; and were they all in one domain.
std::string say_tensor_leaves(const Topology& t, const RankGrid& grid, const Scenario& s)
{
    const AxisLoad& load = t.of(Axis::tensor);
    const double fast = node_link(s.cluster);
    const Seconds inside = fast > 0 ? load.per_gpu.total() / BytesPerSecond(fast * 1e9) : load.one_nic;
    if (load.per_gpu.inside.value <= 0)
    {
        return fmt::format(
            "TP groups of {} have one GPU in each {}: **{}** on the network, {} if they were inside.",
            load.size, domain_word(grid), format_seconds(load.between), format_seconds(inside));
    }
    return fmt::format(
        "TP groups of {} leave their {} of {}: **{}** over all their NICs, {} over one, {} inside.",
        load.size, domain_word(grid), grid.per_domain(), format_seconds(load.between),
        format_seconds(load.one_nic), format_seconds(inside));
}

// The tensor term in full; other axes by their bytes, part and rate.
std::string say_formula(const Topology& t, const Scenario& s, ByteUnit unit)
{
    const AxisLoad& load = t.of(t.hottest_axis);
    const bool inside = t.hottest == LinkClass::inside;
    const Bytes part = inside ? load.per_gpu.inside : load.per_gpu.between();
    const double rate = inside ? node_link(s.cluster) : s.cluster.network_gb_per_s;
    const Seconds busy = inside ? load.inside : load.between;
    const double all = std::max(1.0, load.per_gpu.total().value);
    if (load.axis != Axis::tensor || t.of(Axis::tensor).leaves)
    {
        return fmt::format("{}: {} \u00d7 {} {} / {} GB/s = {}", name_of(load.axis),
                           format_bytes(load.per_gpu.total(), unit), format_percent(part.value / all),
                           inside ? "inside" : "between nodes", plain_number(rate), format_seconds(busy));
    }
    const auto n = static_cast<double>(s.parallel.tensor);
    const double layers = static_cast<double>(s.model.layers) / static_cast<double>(s.parallel.pipeline);
    const Bytes boundary = pipeline_message(s) * (s.parallel.sequence_parallel ? n : 1.0);
    const auto m = static_cast<double>(micro_batches(s));
    const double each = 2 * (n - 1) / n;
    const double reduces = std::round(all / (each * boundary.value * layers * m));
    return fmt::format("{:g} \u00d7 2(t\u22121)/t \u00d7 b s h{} \u00d7 {} B \u00d7 layers \u00d7 m = {:g} "
                       "\u00d7 {} \u00d7 {} "
                       "\u00d7 {} \u00d7 {} = {}, / {} GB/s = {}",
                       reduces, s.parallel.context > 1 ? "/c" : "", element_bytes(s.training), reduces,
                       three_digits(each), format_bytes(boundary, unit), plain_number(layers),
                       plain_number(m), format_bytes(part, unit), plain_number(rate), format_seconds(busy));
}

Caption LayoutView::caption(const Frame& frame) const
{
    Caption caption;
    const Scenario& s = frame.now.scenario;
    if (s.cluster.gpus < 2)
    {
        caption.sentence = "With one GPU, nothing is sent.";
        return caption;
    }
    const Known& k = known(frame);
    const Topology& t = k.topology;
    const ByteUnit unit = frame.preferences.unit;
    const std::string_view domain = domain_word(k.grid);
    const std::string inside = format_bytes(t.per_gpu.inside, unit);
    const std::string between = format_bytes(t.per_gpu.between(), unit);
    if (t.per_gpu.total().value <= 0)
    {
        caption.sentence = "Nothing is sharded or reduced, so nothing is sent.";
        return caption;
    }
    if (t.of(Axis::tensor).leaves)
    {
        caption.sentence = say_tensor_leaves(t, k.grid, s);
    }
    else if (t.per_gpu.between().value <= 0)
    {
        caption.sentence =
            fmt::format("Every group stays inside its {}: **{}** per GPU there, nothing on the "
                        "network.",
                        domain, inside);
    }
    else if (s.parallel.tensor > 1)
    {
        caption.sentence =
            fmt::format("TP traffic stays inside each {}: **{}** per GPU there, **{}** on the "
                        "network.",
                        domain, format_bytes(t.of(Axis::tensor).per_gpu.inside, unit), between);
    }
    else
    {
        caption.sentence =
            fmt::format("Each GPU sends **{}** inside its {} and **{}** over the network; {} traffic takes "
                        "longest.",
                        inside, domain, between, name_of(t.hottest_axis));
    }
    caption.formula = say_formula(t, s, unit);
    caption.source =
        "Bytes: Shoeybi et al., arXiv 1909.08053, section 3, and Korthikanti et al., arXiv 2205.05198, "
        "section "
        "4.2.2 (tensor); Narayanan et al., arXiv 2104.04473, section 3.2 (pipeline). What belongs inside a "
        "node: sections 3.2 and 3.3 of the latter. Rates are one-way and per GPU. A ring over several "
        "domains leaves each once, spread over the NICs of its members there.";
    return caption;
}

// What each axis sends, and for how long at full rate.
float draw_axes(const Painter& painter, Rect area, const Topology& topology, const RankGrid& grid)
{
    std::vector<Axis> axes(grid.order().begin(), grid.order().end());
    std::erase_if(axes, [&](Axis axis)
                  { return !grid.active(axis) && topology.of(axis).per_gpu.total().value <= 0; });
    // Only the links that carry something, so that the words have room.
    const auto sent = [&](const LinkBytes& bytes)
    {
        const std::string inside = format_bytes(bytes.inside, painter.look.unit);
        const std::string between = format_bytes(bytes.between(), painter.look.unit) + " NIC";
        return bytes.between().value <= 0 ? inside + " inside"
               : bytes.inside.value <= 0  ? between
                                          : inside + ", " + between;
    };
    const Table<Axis> table(
        {Column<Axis>("Per GPU and step",
                      [&](Axis axis)
                      {
                          const AxisLoad& load = topology.of(axis);
                          return Cell(fmt::format("{} {}{}", kShort[static_cast<std::size_t>(axis)],
                                                  grouped(load.size),
                                                  axis == Axis::tensor && load.leaves ? ", leaves the node"
                                                                                      : ""),
                                      0, sent(load.per_gpu))
                              .strong();
                      })
             .with(14,
                   [](const Painter& p, Rect cell, Axis axis, bool) {
                       p.fill({cell.x, cell.y + 4, 4, cell.h - 8}, axis_ink(p.theme, axis).fill);
                   }),
         {"full rate", [&](Axis axis)
          { return topology.of(axis).time().value > 0 ? format_seconds(topology.of(axis).time()) : "0 s"; }}},
        nullptr, nullptr, 46);
    const float high = std::min(area.h, table_height(painter, axes.size(), 46));
    area.h = high;
    table.draw(painter, area, axes);
    return high;
}

std::string say_members(const RankGrid& grid, std::int64_t rank, Group group)
{
    const std::int64_t n = grid.size(group);
    const std::int64_t first = grid.member(rank, group, 0);
    const std::int64_t last = grid.member(rank, group, n - 1);
    return last - first == n - 1 ? fmt::format("{} to {}", grouped(first), grouped(last))
                                 : fmt::format("{} others", grouped(n - 1));
}

// The groups of one GPU, and its neighbours in the pipeline.
void draw_groups(const Painter& painter, Rect area, const RankGrid& grid, std::int64_t rank)
{
    struct Line
    {
        Axis axis;
        std::string name;
        std::string who;
    };
    std::vector<Line> lines;
    for (const Axis axis : {Axis::tensor, Axis::context, Axis::expert, Axis::data})
    {
        if (grid.size(drawn_group(axis)) > 1)
        {
            // With context parallelism gradients are reduced over more than the data group.
            const bool wider = grid.size(drawn_group(axis)) > grid.size(axis);
            lines.push_back(
                {axis,
                 wider ? "gradient group" : fmt::format("{} group", kShort[static_cast<std::size_t>(axis)]),
                 say_members(grid, rank, drawn_group(axis))});
        }
    }
    const std::int64_t stage = grid.position(rank, Group::pipeline);
    const auto neighbour = [&](const char* word, std::int64_t other)
    {
        lines.push_back({Axis::pipeline, fmt::format("{} stage {}", word, other),
                         "GPU " + grouped(grid.member(rank, Group::pipeline, other))});
    };
    if (stage > 0)
    {
        neighbour("from", stage - 1);
    }
    if (stage + 1 < grid.size(Group::pipeline))
    {
        neighbour("to", stage + 1);
    }
    const Table<Line> table(
        {Column<Line>("GPU " + grouped(rank), [](const Line& line) { return line.name; })
             .with(kSwatchRoom, [](const Painter& p, Rect cell, const Line& line, bool)
                   { draw_swatch(p, cell, {axis_ink(p.theme, line.axis)}); }),
         {fmt::format("{} {}, slot {}", domain_word(grid), grouped(grid.domain(rank)), grid.slot(rank)),
          [](const Line& line) { return line.who; }}});
    table.draw(painter, area, lines);
}

bool LayoutView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out&)
{
    if (frame.now.scenario.cluster.gpus < 2)
    {
        return false;
    }
    const Known& k = known(frame);
    area.cut_top(draw_axes(painter, area, k.topology, k.grid) + painter.px(8));
    if (area.h > painter.px(70))
    {
        draw_groups(painter, area, k.grid, lit(k));
    }
    return true;
}

ViewKeys LayoutView::keys()
{
    return {
        {"1 \u2026 5", "Color by an axis", [this](const KeyPress& k) { by_ = kAllAxes[k.which]; }},
        {"\u2190 \u2192", "Move the axis that is focused"},
        {"O", "The fastest order of all", [this](const KeyPress& k) { order_ = known(k.frame).best.order; }},
        {"R", "Megatron-LM's order", [this] { order_ = kMegatronOrder; }},
        {"wheel", "Zoom about the mouse; drag to pan"},
        {"F", "The whole cluster again", [this] { zoom_ = MapZoom(); }},
        {"click", "Keep a GPU's groups"}};
}

} // namespace

extern const ViewInfo layout_view{
    30,
    "layout",
    ViewGroup::planner,
    "Cluster map",
    "Cluster map",
    "Every rank in its node, its process groups, and the bytes of each axis on each link",
    {"model", "gpus", "cluster.gpus_per_node", "tensor", "context", "pipeline"},
    make_view<LayoutView>};

} // namespace ringside
