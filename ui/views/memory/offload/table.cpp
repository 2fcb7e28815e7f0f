#include "ui/views/memory/offload/table.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kPitch = 27;

// One for the whole table, so that its rows compare.
ByteScale scale_of(const Shelves& shelves, ByteUnit unit)
{
    Bytes most;
    for (const Offload placement : kPlacements)
    {
        const OffloadReport& r = shelves.of(placement);
        most = std::max({most, r.fullest, r.held(Tank::host), r.held(Tank::nvme)});
    }
    return byte_scale(most, unit);
}

std::string slowdown_words(const OffloadReport& r)
{
    const double times = r.slowdown();
    return !r.possible ? "" : "\u00d7 " + (times < 10 ? fmt::format("{:.2f}", times) : three_digits(times));
}

std::string tip_of(const OffloadReport& r)
{
    return fmt::format("{}{}", r.host_fits ? "" : "The host has no room for it. ",
                       r.possible ? "Press, or its key, to keep it there."
                                  : "A pipe it needs has no stated rate.");
}

Table<Offload> table_of(const Painter& p, const Shelves& shelves)
{
    const ByteScale scale = scale_of(shelves, p.look.unit);
    const auto held = [&p, scale](Bytes bytes, bool fits)
    {
        const std::string words = bytes > Bytes{} ? scale.words(bytes) : "\u2013";
        return fits ? Cell(words) : Cell("\u2715 " + words, p.theme.warning);
    };
    const auto report = [&shelves](auto cell)
    { return [&shelves, cell](Offload placement) { return Cell(cell(shelves.of(placement))); }; };
    return {{Column<Offload>(fmt::format("{} per GPU", scale.name),
                             [](Offload placement) { return brief_of(placement); })
                 .with(18,
                       [](const Painter& at, Rect r, Offload placement, bool)
                       {
                           at.text(r.x + at.px(2), r.middle(), Type::mono_small, at.theme.muted,
                                   std::to_string(static_cast<int>(placement)));
                       }),
             {"GPU", report([held](const OffloadReport& r) { return held(r.fullest, r.gpu_fits); }), 2},
             {"host",
              report(
                  [held](const OffloadReport& r)
                  {
                      const Bytes bytes = r.held(Tank::host);
                      return held(bytes, bytes == Bytes{} || r.host_fits);
                  }),
              1},
             {"NVMe", report([held](const OffloadReport& r) { return held(r.held(Tank::nvme), true); }), 0},
             {"exposed",
              report(
                  [](const OffloadReport& r) {
                      return !r.offloads() ? "\u2013"
                             : r.possible  ? format_seconds(Seconds(r.exposed))
                                           : "no rate";
                  }),
              4},
             {"step", report(slowdown_words), 3}},
            [](Offload placement) { return fmt::format("place {}", brief_of(placement)); },
            [&shelves](Offload placement) { return shelves.placed().options.placement == placement; },
            kPitch,
            [&shelves](Offload placement) { return tip_of(shelves.of(placement)); }};
}

} // namespace

float placements_height(const Painter& painter)
{
    return table_height(painter, kOffloads, kPitch);
}

std::optional<Offload> draw_placements(const Painter& p, Rect area, const Shelves& shelves)
{
    const TableEvent event = table_of(p, shelves).draw(p, area, kPlacements);
    return event.pressed ? std::optional(kPlacements.at(*event.pressed)) : std::nullopt;
}

} // namespace ringside
