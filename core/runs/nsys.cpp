// The table that Nsight Systems prints of a report: nsys stats --report cuda_gpu_trace --format csv.
#include <fmt/format.h>

#include "core/base/text/csv.h"
#include "core/runs/trace_sums.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace ringside
{

namespace
{

constexpr std::size_t kMostNsysRows = 4'000'000;

std::int64_t whole_of(std::string_view cell)
{
    std::int64_t value = -1;
    std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return std::clamp<std::int64_t>(value, -1, std::int64_t{1} << 61);
}

GpuWork work_of_row(std::string_view name)
{
    return name.starts_with("[CUDA memcpy")   ? GpuWork::copy
           : name.starts_with("[CUDA memset") ? GpuWork::set
                                              : work_of_kernel(name);
}

struct NsysColumns
{
    std::size_t start, length, device, name;
};

// Nothing where a column is missing.
std::optional<NsysColumns> columns_of(const CsvRow& head)
{
    const auto place = [&](std::string_view name)
    { return static_cast<std::size_t>(std::ranges::find(head.cells, name) - head.cells.begin()); };
    const NsysColumns found{place("Start (ns)"), place("Duration (ns)"), place("Device"), place("Name")};
    const std::size_t last = std::max({found.start, found.length, found.device, found.name});
    return last < head.cells.size() ? std::optional(found) : std::nullopt;
}

} // namespace

bool is_nsys_csv(std::string_view head)
{
    return head.substr(0, 4096).find("Start (ns),Duration (ns)") != std::string_view::npos;
}

Result<std::vector<GpuTrace>> read_nsys_csv(std::string_view text)
{
    const std::size_t begin = text.find("Start (ns),");
    const auto rows = csv_rows(text.substr(std::min(begin, text.size())), ',');
    const auto columns = rows.empty() ? std::nullopt : columns_of(rows.front());
    if (!columns || rows.size() > kMostNsysRows)
    {
        return Issue{"", "is no table of GPU work with Start (ns), Duration (ns), Device and Name",
                     "write it with nsys stats --report cuda_gpu_trace --format csv"};
    }
    std::map<std::string, GpuTrace> devices;
    std::map<std::string, std::map<std::string, std::uint32_t>> names;
    for (const CsvRow& row : std::span(rows).subspan(1))
    {
        const std::size_t last = std::max({columns->start, columns->length, columns->device, columns->name});
        const std::int64_t length = row.cells.size() > last ? whole_of(row.cells[columns->length]) : -1;
        if (length < 0)
        {
            continue;
        }
        const std::string& device = row.cells[columns->device];
        const std::string& name = row.cells[columns->name];
        GpuTrace& trace = devices[device];
        const auto [known, is_new] =
            names[device].try_emplace(name, static_cast<std::uint32_t>(trace.names.size()));
        if (is_new)
        {
            trace.names.push_back(name);
        }
        trace.events.push_back({.start = whole_of(row.cells[columns->start]),
                                .length = length,
                                .name = known->second,
                                .work = work_of_row(name)});
    }
    std::vector<GpuTrace> traces;
    for (auto& [device, trace] : devices)
    {
        trace.device = device;
        trace.rank = static_cast<std::int64_t>(traces.size());
        trace.in_file = static_cast<std::int64_t>(trace.events.size());
        std::ranges::stable_sort(trace.events, {}, &GpuEvent::start);
        sum_up_trace(trace, {});
        traces.push_back(std::move(trace));
    }
    return traces;
}

} // namespace ringside
