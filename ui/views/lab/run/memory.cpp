// What fills the GPU: the ledger's components, and beside them what the run's snapshot or log says; below,
// the snapshot's blocks size by size with the tensor that has such a size.
#include "core/memory/memory.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/lab/run/pages.h"
#include "ui/widgets/charts/bar_rows.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

// What the run's own files say of memory, as a bar.
struct MemoryRow
{
    std::string name;
    std::vector<BarPart> parts;
    double total = 0;
};

double sum_of(const std::vector<BarPart>& parts)
{
    double sum = 0;
    for (const BarPart& part : parts)
    {
        sum += part.value;
    }
    return sum;
}

MemoryRow ledger_row(const Theme& t, const MemoryReport& memory)
{
    MemoryRow row{"engine", {}};
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        const auto component = static_cast<Component>(i);
        const double bytes = memory.worst().of(component).value;
        if (bytes > 0)
        {
            row.parts.push_back({bytes, {t.of(component)}, name_of(component)});
        }
    }
    row.total = sum_of(row.parts);
    return row;
}

void add_snapshot_rows(std::vector<MemoryRow>& rows, const Theme& t, const MemorySnapshot& s,
                       const std::string& whose)
{
    MemoryRow peak{whose + ", at its peak", {}};
    peak.parts.push_back({static_cast<double>(s.peak), {t.series[0]}, "in use"});
    peak.total = static_cast<double>(s.peak);
    rows.push_back(std::move(peak));
    MemoryRow end{whose + ", at the end", {}};
    for (std::size_t i = 0; i < s.parts.size(); ++i)
    {
        end.parts.push_back(
            {static_cast<double>(s.parts[i].total()), {t.series.at(i % t.series.size())}, s.parts[i].by});
    }
    end.total = sum_of(end.parts);
    rows.push_back(std::move(end));
    MemoryRow reserved{whose + ", reserved", {}};
    reserved.parts = {{static_cast<double>(s.live), {t.series[0]}, "in use"},
                      {static_cast<double>(s.inactive), idle_fill(t), "fragments"},
                      {static_cast<double>(s.empty_segments), plain_fill(t.control), "free segments"}};
    reserved.total = static_cast<double>(s.reserved);
    rows.push_back(std::move(reserved));
}

std::vector<MemoryRow> memory_rows(const RunRoom& r)
{
    const Theme& t = r.p.theme;
    std::vector<MemoryRow> rows{ledger_row(t, r.frame.now.report->memory)};
    if (r.frame.run == nullptr)
    {
        add_snapshot_rows(rows, t, r.state.picture(r.frame).memory, "step");
        return rows;
    }
    const RunReading& run = r.frame.run->run;
    if (run.snapshot)
    {
        add_snapshot_rows(rows, t, *run.snapshot, "run");
    }
    if (run.log)
    {
        const StepSummary& s = run.log->summary;
        const auto add = [&](const char* name, std::int64_t bytes)
        {
            if (bytes > 0)
            {
                rows.push_back(
                    {name, {{static_cast<double>(bytes), {t.series[0]}, ""}}, static_cast<double>(bytes)});
            }
        };
        add("log, allocated", s.allocated);
        add("log, reserved", s.reserved);
        add("log, peak", s.allocated + s.reserved > 0 ? 0 : s.memory);
    }
    return rows;
}

void draw_memory_bars(const RunRoom& r, Rect area, const std::vector<MemoryRow>& rows)
{
    const double capacity = r.frame.now.report->memory.capacity.value;
    BarRows bars;
    bars.columns.push_back({.title = "GPU memory, peak-memory stage",
                            .most = capacity * 1.05,
                            .limit = capacity,
                            .limit_name = "capacity"});
    for (const MemoryRow& row : rows)
    {
        bars.columns.front().most = std::max(bars.columns.front().most, row.total * 1.02);
        bars.rows.push_back(
            {row.name, {{row.parts, {}, format_bytes(Bytes{row.total}, r.frame.preferences.unit)}}});
    }
    r.p.part("memory", area);
    draw_bar_rows(r.p, area, bars);
}

std::string count_words_of(const NamedBlocks& each)
{
    const double whole = std::round(each.per_layer);
    return whole >= 1 && std::abs(each.per_layer - whole) < 0.1 ? fmt::format("{:.0f} a layer", whole)
                                                                : grouped(each.blocks.count);
}

void draw_blocks(const RunRoom& r, Rect area, const std::vector<NamedBlocks>& blocks)
{
    const ByteUnit unit = r.frame.preferences.unit;
    const Table<NamedBlocks> table(
        {{"Blocks at the peak, by size",
          [&](const NamedBlocks& each) {
              return each.name.empty() ? Cell("no tensor of this scenario", r.p.theme.muted)
                                       : Cell(each.name);
          }},
         {"of one", [&](const NamedBlocks& each)
          { return Cell(format_bytes(Bytes{static_cast<double>(each.blocks.bytes)}, unit)); }},
         {"count", [](const NamedBlocks& each) { return Cell(count_words_of(each)); }, 1},
         {"in all", [&](const NamedBlocks& each)
          { return Cell(format_bytes(Bytes{static_cast<double>(each.blocks.total())}, unit)); }}},
        nullptr, nullptr, kTablePitch,
        [](const NamedBlocks& each)
        { return fmt::format("{} blocks of {} B", each.blocks.count, grouped(each.blocks.bytes)); });
    r.p.part("blocks", area);
    table.draw(r.p, area, blocks);
}

void draw_run_memory(const RunRoom& r)
{
    Rect area = r.area;
    draw_opening(r, area);
    const std::vector<MemoryRow> rows = memory_rows(r);
    if (rows.size() < 2)
    {
        empty_state(
            r.p, area, "These files say nothing of memory",
            "Drop a snapshot of torch.cuda.memory._dump_snapshot(), or a log that prints allocated or "
            "reserved memory.");
        return;
    }
    if (r.frame.run != nullptr)
    {
        say_run(r, area);
    }
    const std::vector<NamedBlocks>& blocks = r.state.picture(r.frame).blocks;
    const float high = r.p.px(44) * static_cast<float>(rows.size()) + r.p.px(40);
    draw_memory_bars(r, blocks.empty() ? area : area.cut_top(std::min(high, area.h / 2)), rows);
    if (!blocks.empty())
    {
        area.cut_top(r.p.px(16));
        draw_blocks(r, area, blocks);
    }
}

Caption caption_run_memory(const Frame& frame, MyRunState& state)
{
    Caption caption;
    const double engine = frame.now.report->memory.worst().total().value;
    const RunReading* const run = frame.run != nullptr ? &frame.run->run : nullptr;
    caption.sentence = fmt::format("The engine\u2019s ledger has **{}** on the peak-memory GPU.",
                                   format_bytes(Bytes{engine}, frame.preferences.unit));
    if (run != nullptr && run->snapshot)
    {
        const auto named = std::ranges::find_if(state.picture(frame).blocks,
                                                [](const NamedBlocks& each) { return !each.name.empty(); });
        caption.sentence =
            fmt::format("At its peak the run has **{}** in use, the engine\u2019s ledger {}.",
                        format_bytes(Bytes{static_cast<double>(run->snapshot->peak)}, frame.preferences.unit),
                        format_bytes(Bytes{engine}, frame.preferences.unit));
        if (named != state.picture(frame).blocks.end())
        {
            caption.sentence += fmt::format(
                " Most is {}: {}, {} in all.", named->name, count_words_of(*named),
                format_bytes(Bytes{static_cast<double>(named->blocks.total())}, frame.preferences.unit));
        }
    }
    caption.source =
        "PyTorch\u2019s allocator sees neither NCCL nor the driver, which take some hundreds of MB more. "
        "A size says which tensor a block may be; two tensors of one size are told apart by nothing.";
    return caption;
}

} // namespace

const Page<MyRunState> run_memory_page{"Memory",           draw_run_memory, panel_run,
                                       caption_run_memory, nullptr,         "My run\u2019s memory"};

} // namespace ringside
