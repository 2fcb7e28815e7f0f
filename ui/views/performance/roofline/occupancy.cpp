#include "core/performance/occupancy.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/performance/roofline/pictures.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

std::string shared_words(std::int64_t bytes)
{
    return plain_number(std::round(static_cast<double>(bytes) / 1024 * 10) / 10) + " KiB";
}

// One thing a multiprocessor has so much of.
struct Shelf
{
    OccupancyLimit limit;
    std::string_view name;
    double all;            // units there are
    double block;          // of which one block takes
    std::string has;       // in words
    std::string takes;     // in words
    std::string_view grip; // label of what is dragged; empty: nothing
    double least = 0;      // what a person may set
    double most = 0;
};

std::array<Shelf, 4> shelves(const Multiprocessor& m, const KernelShape& k, const Occupancy& o)
{
    const auto d = [](std::int64_t n) { return static_cast<double>(n); };
    return {Shelf{OccupancyLimit::threads, "Warps", d(m.warps()), d(o.block_warps),
                  fmt::format("{}", m.warps()), fmt::format("{} threads, {} warps", k.threads, o.block_warps),
                  "###threads of a block", 32, 1024},
            Shelf{OccupancyLimit::registers, "Registers", d(m.registers), d(o.block_registers),
                  grouped(m.registers),
                  fmt::format("{} a thread, {} a block", k.registers, grouped(o.block_registers)),
                  "###registers of a thread", 0, 255},
            Shelf{OccupancyLimit::shared, "Shared memory", d(m.shared), d(o.block_shared),
                  shared_words(m.shared),
                  fmt::format("{}, 1 KiB of the system in it", shared_words(o.block_shared)),
                  "###shared memory of a block", 0, d(m.block_shared)},
            Shelf{OccupancyLimit::blocks, "Blocks", d(m.blocks), 1, fmt::format("{}", m.blocks), "one each",
                  "", 0, 0}};
}

class Board
{
public:
    Board(const Painter& painter, RooflineState& state, const Multiprocessor& multiprocessor, Out& out)
        : p_(painter), state_(state), m_(multiprocessor), o_(occupancy(m_, state.shape)), out_(out)
    {
    }

    void draw(Rect area)
    {
        draw_chart_title(p_, area.cut_top(p_.px(26)), fmt::format("One multiprocessor, {}", m_.family),
                         fmt::format("compute capability {}", m_.capability));
        const float pitch = area.h / 4;
        for (const Shelf& shelf : shelves(m_, state_.shape, o_))
        {
            draw_shelf(area.cut_top(pitch), shelf);
        }
    }

private:
    void draw_shelf(Rect row, const Shelf& shelf)
    {
        const Theme& t = p_.theme;
        const bool binds = o_.binds(shelf.limit);
        Rect words = row.cut_top(p_.height(Type::small) + p_.px(4));
        const std::string allows = fmt::format("{} block{}{}", o_.of(shelf.limit),
                                               o_.of(shelf.limit) == 1 ? "" : "s", binds ? ": binds" : "");
        const float right = p_.text(words.right(), words.middle(), Type::small_strong,
                                    binds ? t.text : t.muted, allows, Align::right);
        const float left = p_.text_within(words.x, words.middle(), words.w - right - p_.px(12),
                                          binds ? Type::small_strong : Type::small, t.text,
                                          fmt::format("{}: {}", shelf.name, shelf.has));
        const float rest = words.w - right - left - p_.px(24);
        if (p_.width(Type::small, shelf.takes) <= rest)
        {
            p_.text(words.x + left + p_.px(12), words.middle(), Type::small, t.muted, shelf.takes);
        }
        row.cut_bottom(p_.px(8));
        const Rect bar{row.x, row.y, row.w, std::min(row.h, p_.px(44))};
        draw_blocks(bar, shelf, binds);
        p_.part(shelf.name, bar);
    }

    void draw_blocks(Rect bar, const Shelf& shelf, bool binds)
    {
        const Theme& t = p_.theme;
        p_.fill(bar, t.control, p_.px(3));
        p_.hatch(bar, t.idle_hatch, kIdleHatch);
        const float each = bar.w * static_cast<float>(std::min(1.0, shelf.block / shelf.all));
        for (std::int64_t i = 0; i < o_.blocks; ++i)
        {
            const float x = bar.x + each * static_cast<float>(i);
            const Rect block{x, bar.y, std::max(1.0F, each - (each > p_.px(4) ? p_.px(1) : 0)), bar.h};
            p_.fill(block, stage_colour(t, static_cast<std::size_t>(i % 5), 5), p_.px(2));
        }
        if (o_.blocks == 0)
        {
            p_.hatch({bar.x, bar.y, each, bar.h}, t.warning, kOverflowHatch);
        }
        p_.outline(bar, binds ? t.text : t.line, p_.px(binds ? 2.0F : 1.0F), p_.px(3));
        if (!shelf.grip.empty())
        {
            take_hold(bar, shelf, bar.x + each);
        }
    }

    // The end of the first block: what one block takes.
    void take_hold(Rect bar, const Shelf& shelf, float x)
    {
        const PlotGrip grip = draw_grip(p_, {std::min(x, bar.right()), bar.middle()},
                                        std::string(shelf.grip).c_str(), p_.theme.text);
        if (grip.to)
        {
            const auto share = static_cast<double>((ImGui::GetIO().MousePos.x - bar.x) / bar.w);
            set(shelf, share * shelf.all);
        }
        else if (grip.steps != 0)
        {
            step(shelf, grip.steps);
        }
        else if (grip.hovered)
        {
            tooltip(p_, "Drag, or arrow keys: what one block takes");
        }
    }

    static std::int64_t held(double value, const Shelf& shelf)
    {
        return std::llround(std::clamp(value, shelf.least, shelf.most));
    }

    void set(const Shelf& shelf, double units)
    {
        KernelShape& k = state_.shape;
        out_.animating = true;
        switch (shelf.limit)
        {
        case OccupancyLimit::threads:
            k.threads = held(std::round(units) * 32, shelf);
            break;
        case OccupancyLimit::registers:
            k.registers =
                held(units / static_cast<double>(std::max<std::int64_t>(1, o_.block_warps) * 32), shelf);
            break;
        case OccupancyLimit::shared:
            k.shared = held(std::round((units - 1024) / 1024) * 1024, shelf);
            break;
        case OccupancyLimit::blocks:
            break;
        }
    }

    void step(const Shelf& shelf, int steps)
    {
        KernelShape& k = state_.shape;
        out_.animating = true;
        switch (shelf.limit)
        {
        case OccupancyLimit::threads:
            k.threads = held(static_cast<double>(k.threads + 32 * steps), shelf);
            break;
        case OccupancyLimit::registers:
            k.registers = held(static_cast<double>(k.registers + 8 * steps), shelf);
            break;
        case OccupancyLimit::shared:
            k.shared = held(static_cast<double>(k.shared + 1024 * steps), shelf);
            break;
        case OccupancyLimit::blocks:
            break;
        }
    }

    const Painter& p_;
    RooflineState& state_;
    const Multiprocessor& m_;
    Occupancy o_;
    Out& out_;
};

// Occupancy over the registers of a thread, all else as it is.
void draw_stairs(const Painter& p, Rect area, RooflineState& state, const Multiprocessor& m, Out& out)
{
    const std::string says =
        fmt::format("{} threads, {} shared", state.shape.threads, shared_words(state.shape.shared));
    Plot plot(p, area, {0, 256, PlotScale::linear, "", plain_number},
              {0, 1.06, PlotScale::linear, "", format_percent},
              {.title = "Occupancy over registers a thread", .says = says, .part = "occupancy"});
    if (!plot)
    {
        return;
    }
    std::vector<PlotPoint> line;
    KernelShape k = state.shape;
    for (k.registers = 0; k.registers <= 255; ++k.registers)
    {
        const double share = occupancy(m, k).share;
        line.push_back({static_cast<double>(k.registers), line.empty() ? share : line.back().y});
        line.push_back({static_cast<double>(k.registers), share});
    }
    plot.line(line, {p.theme.text, 2.5F});
    const double share = occupancy(m, state.shape).share;
    const PlotMove grip =
        plot.grip({static_cast<double>(state.shape.registers), share}, "###registers on the curve",
                  fmt::format("{} registers: {}", state.shape.registers, format_percent(share)));
    if (const auto to = grip.x(1))
    {
        state.shape.registers = std::llround(std::clamp(*to, 0.0, 255.0));
        out.animating = true;
    }
}

} // namespace

void draw_occupancy(const Painter& p, Rect area, RooflineState& state, const Scenario& scenario, Out& out)
{
    const Multiprocessor& m = shown_multiprocessor(state, scenario);
    const float board = 4 * (p.height(Type::small) + p.px(46)) + p.px(26);
    const bool curve = area.h > board + p.px(130);
    Rect top = curve ? area.cut_top(std::min(board + p.px(24), area.h * 0.62F)) : area;
    Board(p, state, m, out).draw(top);
    if (curve)
    {
        area.cut_top(p.px(10));
        draw_stairs(p, area, state, m, out);
    }
}

} // namespace ringside
