// What blocks of a kernel take of one SM, and the occupancy over registers per thread.
#include "core/performance/occupancy.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/performance/roofline/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 11> kRegisters{16, 24, 32, 40, 48, 64, 80, 96, 128, 168, 255};
constexpr std::array<double, 6> kThreads{32, 64, 128, 256, 512, 1024};
constexpr std::array<double, 10> kShared{0,          4 * 1024.,  8 * 1024.,  16 * 1024.,  32 * 1024.,
                                         48 * 1024., 64 * 1024., 96 * 1024., 128 * 1024., 227 * 1024.}; // [B]

std::string say_kibibytes(double bytes)
{
    return plain_number(bytes / 1024);
}

// That of the scenario's GPU, or of Hopper where it is not among them.
const Multiprocessor& shown_multiprocessor(const RooflineState& state, const Scenario& scenario)
{
    if (state.capability)
    {
        return multiprocessors()[*state.capability % multiprocessors().size()];
    }
    const Multiprocessor* own = multiprocessor_of(scenario.cluster.gpu);
    return own != nullptr ? *own : multiprocessors()[1];
}

std::string shared_words(std::int64_t bytes)
{
    return plain_number(std::round(static_cast<double>(bytes) / 1024 * 10) / 10) + " KiB";
}

// One resource of an SM, and what of the kernel takes it: pulling its first block's end sets that.
struct Resource
{
    OccupancyLimit limit;
    std::string_view name;
    double all;                                 // units there are
    double block;                               // of which one block takes
    std::string has;                            // in words
    std::string takes;                          // in words
    std::int64_t KernelShape::*field = nullptr; // what is set; null: nothing
    const char* grip = nullptr;                 // its label
    double most = 0;                            // what a user may set
    std::int64_t step = 0;                      // by a key, and of threads and bytes the least
    double unit = 1;                            // of the field in one unit
    double reserved = 0;                        // units of a block that are not the kernel's
};

std::array<Resource, 4> resources(const Multiprocessor& m, const KernelShape& k, const Occupancy& o)
{
    const auto d = [](std::int64_t n) { return static_cast<double>(n); };
    const double lanes = d(std::max<std::int64_t>(1, o.block_warps) * 32);
    return {Resource{OccupancyLimit::threads, "Warps", d(m.warps()), d(o.block_warps),
                     fmt::format("{}", m.warps()),
                     fmt::format("{} threads, {} warps", k.threads, o.block_warps), &KernelShape::threads,
                     "###threads of a block", 1024, 32, 32},
            Resource{OccupancyLimit::registers, "Registers", d(m.registers), d(o.block_registers),
                     grouped(m.registers),
                     fmt::format("{} per thread, {} per block", k.registers, grouped(o.block_registers)),
                     &KernelShape::registers, "###registers of a thread", 255, 8, 1 / lanes},
            Resource{OccupancyLimit::shared, "Shared memory", d(m.shared), d(o.block_shared),
                     shared_words(m.shared),
                     fmt::format("{} per block, 1 KiB of it reserved by CUDA", shared_words(o.block_shared)),
                     &KernelShape::shared, "###shared memory of a block", d(m.block_shared), 1024, 1, 1024},
            Resource{OccupancyLimit::blocks, "Blocks", d(m.blocks), 1, fmt::format("{}", m.blocks),
                     "1 per block"}};
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
        draw_chart_title(p_, area.cut_top(p_.px(26)), fmt::format("One SM, {}", m_.family),
                         fmt::format("compute capability {}", m_.capability));
        const float pitch = area.h / 4;
        for (const Resource& resource : resources(m_, state_.shape, o_))
        {
            draw_resource(area.cut_top(pitch), resource);
        }
    }

private:
    void draw_resource(Rect row, const Resource& resource)
    {
        const bool binds = o_.binds(resource.limit);
        draw_chart_title(p_, row.cut_top(p_.height(Type::small) + p_.px(4)),
                         fmt::format("{}: {}", resource.name, resource.has), resource.takes,
                         counted(o_.of(resource.limit), "block") + (binds ? ": limiting" : ""));
        row.cut_bottom(p_.px(8));
        const Rect bar{row.x, row.y, row.w, std::min(row.h, p_.px(44))};
        draw_blocks(bar, resource, binds);
        p_.part(resource.name, bar);
    }

    void draw_blocks(Rect bar, const Resource& resource, bool binds)
    {
        const Theme& t = p_.theme;
        p_.fill(bar, t.control, p_.px(3));
        p_.hatch(bar, t.idle_hatch, kIdleHatch);
        const float each = bar.w * static_cast<float>(std::min(1.0, resource.block / resource.all));
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
        if (resource.field != nullptr)
        {
            take_hold(bar, resource, bar.x + each);
        }
    }

    // The end of the first block: what one block takes.
    void take_hold(Rect bar, const Resource& resource, float x)
    {
        const PlotGrip grip =
            draw_grip(p_, {std::min(x, bar.right()), bar.middle()}, resource.grip, p_.theme.text);
        tooltip(p_, "Drag, or arrow keys: what one block uses");
        if (!grip.to && grip.steps == 0)
        {
            return;
        }
        std::int64_t& field = state_.shape.*resource.field;
        const double units = static_cast<double>((ImGui::GetIO().MousePos.x - bar.x) / bar.w) * resource.all;
        const auto least = static_cast<double>(resource.field == &KernelShape::registers ? 1 : resource.step);
        const double pulled = std::round((units - resource.reserved) * resource.unit / least) * least;
        const double to = grip.to ? pulled : static_cast<double>(field + resource.step * grip.steps);
        field =
            std::llround(std::clamp(to, resource.field == &KernelShape::threads ? 32.0 : 0.0, resource.most));
        out_.animating = true;
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
    const std::string says = fmt::format("{} threads per block, {} shared memory", state.shape.threads,
                                         shared_words(state.shape.shared));
    Plot plot(p, area, {0, 256, PlotScale::linear, "", plain_number},
              {0, 1.06, PlotScale::linear, "", format_percent},
              {.title = "Occupancy vs registers per thread", .note = says, .part = "occupancy"});
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

void draw_occupancy(const RooflineRoom& r)
{
    Rect area = r.area;
    const Multiprocessor& m = shown_multiprocessor(r.state, r.frame.now.scenario);
    const float board = 4 * (r.p.height(Type::small) + r.p.px(46)) + r.p.px(26);
    const bool curve = area.h > board + r.p.px(130);
    const Rect top = curve ? area.cut_top(std::min(board + r.p.px(24), area.h * 0.62F)) : area;
    Board(r.p, r.state, m, r.out).draw(top);
    if (curve)
    {
        area.cut_top(r.p.px(10));
        draw_stairs(r.p, area, r.state, m, r.out);
    }
}

void panel_occupancy(PanelColumn& column, const RooflineRoom& r)
{
    RooflineState& state = r.state;
    const Multiprocessor& m = shown_multiprocessor(state, r.frame.now.scenario);
    auto at = static_cast<std::size_t>(&m - multiprocessors().data());
    if (column.choice({"Ampere", "Hopper", "Blackwell"}, at))
    {
        state.capability = at;
    }
    KernelShape& k = state.shape;
    column.slide("Threads per block", Track::at(kThreads, plain_number), k.threads);
    column.slide("Registers per thread", Track::at(kRegisters, plain_number), k.registers);
    column.slide("Shared KiB per block", Track::at(kShared, say_kibibytes, 1024), k.shared);
    if (column.button("Element-wise kernel", "E"))
    {
        k = kCopyingKernel;
    }
    if (column.button("GEMM, 128 \u00d7 128 tile", "G"))
    {
        k = kMultiplyingKernel;
    }
    column.note(
        "The FP32 accumulators of a 128 \u00d7 128 tile alone take **16,384 registers**, a quarter of all.");
}

// All that bind at once: "threads and registers".
std::string limit_names(const Occupancy& o)
{
    constexpr std::array kNames{std::pair{OccupancyLimit::threads, "threads"},
                                std::pair{OccupancyLimit::registers, "registers"},
                                std::pair{OccupancyLimit::shared, "shared memory"},
                                std::pair{OccupancyLimit::blocks, "the number of blocks"}};
    std::vector<std::string_view> names;
    for (const auto& [limit, name] : kNames)
    {
        if (o.binds(limit))
        {
            names.emplace_back(name);
        }
    }
    return fmt::format("{}", fmt::join(names, " and "));
}

Caption caption_occupancy(const Frame& frame, RooflineState& state)
{
    const Multiprocessor& m = shown_multiprocessor(state, frame.now.scenario);
    const Occupancy o = occupancy(m, state.shape);
    Caption c;
    c.sentence =
        o.blocks == 0
            ? fmt::format("!!No block fits!!: {} of one block exceed what an SM has.", limit_names(o))
            : fmt::format("**{}** per SM, limited by **{}**: {} of {} warps, **{}** occupancy.",
                          counted(o.blocks, "block"), limit_names(o), o.warps, m.warps(),
                          format_percent(o.share));
    c.formula = fmt::format(
        "min(threads {}, registers {}, shared memory {}, blocks {}) = {};  {} \u00d7 {} / {} warps", o.by[0],
        o.by[1], o.by[2], o.by[3], o.blocks, o.blocks, o.block_warps, m.warps());
    c.source = fmt::format(
        "CUDA C++ Programming Guide, technical specifications of compute capability {}; the rule is that of "
        "cuda_occupancy.h.\nLow occupancy is not slow: GEMMs run with one or two blocks, and hide latency "
        "with loads "
        "in flight (Volkov 2010, Better Performance at Lower Occupancy).",
        m.capability);
    return c;
}

} // namespace

const Page<RooflineState> occupancy_page{"Occupancy",       draw_occupancy, panel_occupancy,
                                         caption_occupancy, nullptr,        "Occupancy of an SM"};

} // namespace ringside
