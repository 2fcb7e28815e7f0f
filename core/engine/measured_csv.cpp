#include "core/engine/measured_csv.h"

#include <fmt/format.h>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/scenario/fields.h"
#include "core/scenario/json.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr std::size_t kMostFaults = 20;
constexpr std::array<std::string_view, 3> kTimes{"step_time_s", "step_time_ms", "tokens_per_s"};

char separator_of(std::string_view text)
{
    const std::string_view head = text.substr(0, text.find('\n'));
    const std::array<char, 3> all{',', ';', '\t'};
    return *std::ranges::max_element(all, {}, [&](char c) { return std::ranges::count(head, c); });
}

std::string trimmed(std::string_view text)
{
    const auto from = text.find_first_not_of(" \r\t\xEF\xBB\xBF");
    const auto to = text.find_last_not_of(" \r\t");
    return from == std::string_view::npos ? "" : std::string(text.substr(from, to - from + 1));
}

std::vector<std::string> all_paths(const Scenario& s)
{
    std::vector<std::string> paths{"model", "cluster", "cluster.gpu"};
    const auto add = [&](std::string_view section, const auto& object)
    {
        for (const auto& field : fields_of(object))
        {
            paths.push_back(fmt::format("{}.{}", section, field.name));
        }
    };
    add("cluster", s.cluster);
    add("cluster.gpu", s.cluster.gpu);
    add("model", s.model);
    add("parallel", s.parallel);
    add("training", s.training);
    return paths;
}

// The path a column means; nothing where none has that name, or several have.
std::optional<std::string> path_of(const std::string& column, const std::vector<std::string>& paths)
{
    if (std::ranges::find(paths, column) != paths.end())
    {
        return column;
    }
    std::vector<std::string> found;
    std::ranges::copy_if(paths, std::back_inserter(found),
                         [&](const std::string& p) { return p.substr(p.rfind('.') + 1) == column; });
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

class Table
{
public:
    Table(const Scenario& base, const Presets& presets) : base_(base), presets_(presets) {}

    Result<MeasuredSet> read(const std::vector<CsvRow>& rows)
    {
        MeasuredSet set;
        set.name = "measured";
        if (rows.size() < 2 || rows.size() > kMostMeasuredRows + 1)
        {
            fault("", fmt::format("has {} rows of figures", rows.empty() ? 0 : rows.size() - 1),
                  fmt::format("give a row of column names and 1 to {} of figures", kMostMeasuredRows));
        }
        else
        {
            read_head(rows.front());
        }
        const bool readable = issues_.empty();
        for (std::size_t i = 1; readable && issues_.size() < kMostFaults && i < rows.size(); ++i)
        {
            if (auto row = read_row(rows[i]))
            {
                set.rows.push_back(std::move(*row));
            }
        }
        return issues_.empty() ? Result<MeasuredSet>(std::move(set))
                               : Result<MeasuredSet>(std::move(issues_));
    }

private:
    enum class Kind
    {
        field,
        time,
        name,
        group
    };
    struct Column
    {
        std::string name; // "tensor"
        Kind kind = Kind::field;
        std::string path = {}; // of a field: "parallel.tensor"
    };

    void fault(std::string path, std::string message, std::string hint)
    {
        if (issues_.size() < kMostFaults)
        {
            issues_.push_back({std::move(path), std::move(message), std::move(hint)});
        }
    }

    void read_head(const CsvRow& head)
    {
        const std::vector<std::string> paths = all_paths(base_);
        for (const std::string& cell : head.cells)
        {
            Column column{trimmed(cell)};
            column.kind = column.name == "name"                                    ? Kind::name
                          : column.name == "group"                                 ? Kind::group
                          : std::ranges::find(kTimes, column.name) != kTimes.end() ? Kind::time
                                                                                   : Kind::field;
            if (column.kind == Kind::field)
            {
                column.path = known_path(column.name, paths);
            }
            columns_.push_back(std::move(column));
        }
        if (const auto times = std::ranges::count(columns_, Kind::time, &Column::kind); times != 1)
        {
            fault("", fmt::format("{} columns say how long a step took", times),
                  fmt::format("give one of {}", fmt::join(kTimes, ", ")));
        }
    }

    std::string known_path(const std::string& column, const std::vector<std::string>& paths)
    {
        const auto path = path_of(column, paths);
        if (!path)
        {
            std::vector<std::string> names = paths;
            for (const std::string& p : paths)
            {
                names.push_back(p.substr(p.rfind('.') + 1));
            }
            const std::string near = nearest_word(column, names);
            fault("column " + column, "is no field of a scenario",
                  near.empty() ? "use a path as evaluate --set takes it, \"parallel.tensor\""
                               : fmt::format("did you mean \"{}\"?", near));
        }
        return path.value_or("");
    }

    // A row whose cells are those of the columns; nothing, and faults, where they say no valid scenario and
    // time.
    std::optional<MeasuredRow> read_row(const CsvRow& row)
    {
        const std::string line = fmt::format("line {}", row.line);
        if (row.open || row.cells.size() != columns_.size())
        {
            fault(line, fmt::format("has {} cells", row.cells.size()),
                  fmt::format("give {}, as the first row does", columns_.size()));
            return std::nullopt;
        }
        MeasuredRow out;
        const auto scenario = scenario_of(row, line);
        if (!scenario)
        {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < columns_.size(); ++i)
        {
            const std::string cell = trimmed(row.cells[i]);
            out.name = columns_[i].kind == Kind::name ? cell : out.name;
            out.group = columns_[i].kind == Kind::group ? cell : out.group;
            if (columns_[i].kind == Kind::time)
            {
                out.seconds = seconds_of(columns_[i].name, parse_number(cell).value_or(0), *scenario);
                if (!(out.seconds > 0))
                {
                    fault(fmt::format("{}, {}", line, columns_[i].name),
                          fmt::format("\"{}\" is no number above 0", cell), "give what was measured");
                    return std::nullopt;
                }
            }
        }
        out.scenario = *scenario;
        out.name = out.name.empty() ? line : out.name;
        out.group = out.group.empty() ? std::to_string(scenario->model.hidden) : out.group;
        return out;
    }

    std::optional<Scenario> scenario_of(const CsvRow& row, const std::string& line)
    {
        std::map<std::string, std::string> values; // by path, so that a preset comes before what changes it
        for (std::size_t i = 0; i < columns_.size(); ++i)
        {
            if (const std::string cell = trimmed(row.cells[i]);
                columns_[i].kind == Kind::field && !cell.empty())
            {
                values[columns_[i].path] = cell;
            }
        }
        json document = to_json(base_, presets_);
        Issues issues;
        for (const auto& [path, cell] : values)
        {
            const auto number = parse_number(cell);
            const Issues found = set_path(document, number ? fmt::format("{}={}", path, *number)
                                                           : fmt::format("{}={}", path, cell));
            issues.insert(issues.end(), found.begin(), found.end());
        }
        const auto read = issues.empty() ? scenario_from_json(document, presets_) : Result<Scenario>(issues);
        issues = read ? validate(*read) : read.issues();
        std::erase_if(issues, [](const Issue& issue) { return issue.severity != Severity::error; });
        for (const Issue& issue : issues)
        {
            fault(fmt::format("{}, {}", line, issue.path), issue.message, issue.hint);
        }
        return read && issues.empty() ? std::optional(*read) : std::nullopt;
    }

    // In whichever unit the column has.
    static double seconds_of(std::string_view column, double value, const Scenario& s)
    {
        const double tokens =
            static_cast<double>(s.training.global_batch) * static_cast<double>(s.training.sequence_length);
        return column == "step_time_ms" ? value / 1000 : column == "tokens_per_s" ? tokens / value : value;
    }

    const Scenario& base_;
    const Presets& presets_;
    std::vector<Column> columns_;
    Issues issues_;
};

} // namespace

bool is_measured_csv(std::string_view text)
{
    const std::string_view head = text.substr(0, text.find('\n'));
    const auto rows = csv_rows(head, separator_of(text));
    return !rows.empty() &&
           std::ranges::any_of(rows.front().cells, [](const std::string& cell)
                               { return std::ranges::find(kTimes, trimmed(cell)) != kTimes.end(); });
}

Result<MeasuredSet> measured_from_csv(std::string_view text, const Scenario& base, const Presets& presets)
{
    return Table(base, presets).read(csv_rows(text, separator_of(text)));
}

} // namespace ringside
