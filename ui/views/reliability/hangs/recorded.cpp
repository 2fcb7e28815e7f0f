#include "ui/views/reliability/hangs/recorded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text/text.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kRankBox = 44; // [design px]

// A box for each rank that is in a group: who hung has the warning sign, who left no dump is hollow.
float draw_ranks(const Painter& p, Rect area, const RunReading& run)
{
    const RecordedHang& hang = *run.hang;
    std::set<std::int64_t> ranks(hang.missing.begin(), hang.missing.end());
    for (const RecorderDump& dump : run.dumps)
    {
        ranks.insert(dump.rank);
    }
    const float size = p.px(kRankBox);
    const float gap = p.px(6);
    const auto across = std::max<std::size_t>(1, static_cast<std::size_t>((area.w + gap) / (size + gap)));
    const auto rows = static_cast<std::size_t>(std::max(1.0F, area.h * 0.4F / (size + gap)));
    std::size_t i = 0;
    for (const std::int64_t rank : ranks)
    {
        if (i == across * rows)
        {
            break;
        }
        const Rect box{area.x + static_cast<float>(i % across) * (size + gap),
                       area.y + static_cast<float>(i / across) * (size + gap), size, size};
        const bool missing = std::ranges::find(hang.missing, rank) != hang.missing.end();
        const bool culprit = hang.culprits.contains(rank);
        missing ? p.outline(box, p.theme.line, 1, p.px(4)) : p.fill(box, p.theme.control, p.px(4));
        p.text(box.centre(), culprit ? box.y + p.px(14) : box.middle(), Type::mono_small, p.theme.text,
               std::to_string(rank), Align::centre);
        if (culprit)
        {
            p.outline(box, p.theme.warning, p.px(2), p.px(4));
            p.triangle(box.centre() - p.px(8), box.bottom() - p.px(14), p.theme.warning);
        }
        ++i;
    }
    return static_cast<float>((std::max<std::size_t>(1, i) + across - 1) / across) * (size + gap);
}

std::string ranks_words(const std::vector<std::int64_t>& ranks)
{
    constexpr std::size_t kNamed = 8;
    return ranks.size() > kNamed
               ? fmt::format("{} \u2026 {}", fmt::join(std::span(ranks).first(kNamed - 1), ", "),
                             ranks.back())
               : fmt::format("{}", fmt::join(ranks, ", "));
}

std::string call_number(std::int64_t sequence)
{
    return sequence < 0 ? std::string("\u2013") : grouped(sequence);
}

} // namespace

void draw_recorded_hang(const Painter& p, Rect area, const RunReading& run)
{
    const RecordedHang& hang = *run.hang;
    const std::string title = hang.culprits.empty()
                                  ? std::string("No rank of these dumps hung by itself")
                                  : fmt::format("Rank{} {} hung", hang.culprits.size() > 1 ? "s" : "",
                                                fmt::join(hang.culprits, " and "));
    p.text(area.x, area.y + p.height(Type::title) / 2, Type::title, p.theme.text, title);
    area.cut_top(p.height(Type::title) + p.px(14));
    p.part("ranks", area);
    area.cut_top(draw_ranks(p, area, run) + p.px(14));
    std::vector<HungGroup> rows = hang.groups;
    rows.insert(rows.end(), hang.unlike.begin(), hang.unlike.end());
    const Table<HungGroup> table(
        {{"Group", [](const HungGroup& g)
          { return Cell(g.description.empty() ? "group " + g.name : g.description, 0, g.reason); }},
         Column<HungGroup>(
             "its ranks", [](const HungGroup& g) { return Cell(ranks_words(g.members)); }, 1)
             .words(),
         Column<HungGroup>("hung", [](const HungGroup& g) { return Cell(ranks_words(g.culprits)); }).words(),
         {"completed", [](const HungGroup& g) { return Cell(call_number(g.culprits_last_completed)); }, 2},
         {"the others", [](const HungGroup& g) { return Cell(call_number(g.last_completed)); }, 3},
         {"waiting in", [](const HungGroup& g) { return Cell(call_number(g.waiting.sequence)); }, 4},
         Column<HungGroup>(
             "call", [](const HungGroup& g) { return Cell(g.waiting.collective); }, 5)
             .words()},
        nullptr, nullptr, 46, [](const HungGroup& g) { return g.reason; });
    p.part("groups", area);
    table.draw(p, area, rows);
}

Caption recorded_hang_caption(const RunReading& run)
{
    return {
        sentence_of(run),
        "hung = members without a call where others wait, and members whose last completed call is lowest",
        "By the dumps of PyTorch\u2019s flight recorder (TORCH_NCCL_TRACE_BUFFER_SIZE, "
        "TORCH_NCCL_DUMP_ON_TIMEOUT), joined by process group and sequence number. Who has enqueued fewest "
        "calls "
        "is no sign: a rank that hangs may have enqueued more."};
}

} // namespace ringside
