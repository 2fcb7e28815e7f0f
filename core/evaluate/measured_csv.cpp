#include "core/evaluate/measured_csv.h"

#include <fmt/format.h>

#include "core/base/text/csv.h"
#include "core/base/text/printable.h"
#include "core/base/text/text.h"
#include "core/evaluate/case_check.h"
#include "core/scenario/fields.h"
#include "core/scenario/json/json.h"
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

std::string_view first_line(std::string_view text)
{
    return text.substr(0, text.find_first_of("\r\n"));
}

char separator_of(std::string_view text)
{
    const std::string_view head = first_line(text);
    const std::array<char, 3> all{',', ';', '\t'};
    return *std::ranges::max_element(all, {}, [&](char c) { return std::ranges::count(head, c); });
}

std::string trimmed(std::string_view text)
{
    const auto from = text.find_first_not_of(" \r\t\xEF\xBB\xBF");
    const auto to = text.find_last_not_of(" \r\t");
    return from == std::string_view::npos ? "" : std::string(text.substr(from, to - from + 1));
}

// Whether its commas stand between groups of exactly three digits: "1,250", "1,250,000.5", not "12,5" or
// "0,125".
bool has_thousands(std::string_view number)
{
    std::size_t at = number.starts_with('-') ? 1 : 0;
    const auto digits = [&]
    {
        const std::size_t from = at;
        at = std::min(number.find_first_not_of("0123456789", at), number.size());
        return at - from;
    };
    const bool from_zero = number.substr(at).starts_with('0');
    const std::size_t first = digits();
    bool fits = !from_zero && first >= 1 && first <= 3;
    while (fits && number.substr(at).starts_with(','))
    {
        ++at;
        fits = digits() == 3;
    }
    return fits && number.find(',', at) == std::string_view::npos;
}

// People put something else than commas between columns where a comma is the decimal one.
std::optional<double> number_in(std::string cell, char separator)
{
    if (separator != ',')
    {
        const bool decimal = std::ranges::count(cell, ',') <= 1;
        std::ranges::replace(cell, ',', '.');
        return decimal ? parse_number(cell) : std::nullopt;
    }
    const bool plain = cell.find(',') == std::string::npos;
    return plain || has_thousands(cell) ? parse_number(cell) : std::nullopt;
}

// A number, but not which one: leaving out its commas would make another of "12,5".
bool is_ambiguous(const std::string& cell, char separator)
{
    return cell.find(',') != std::string::npos && parse_number(cell) && !number_in(cell, separator);
}

// The first line that is not UTF-8, in a text that is not.
std::int64_t line_of_fault(std::string_view text)
{
    std::int64_t line = 1;
    std::size_t end = text.find('\n');
    while (end != std::string_view::npos && is_utf8(text.substr(0, end)))
    {
        text.remove_prefix(end + 1);
        end = text.find('\n');
        ++line;
    }
    return line;
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
    add("training.lora", s.training.lora);
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
    Table(char separator, const Scenario& base, const Presets& presets)
        : separator_(separator), base_(base), presets_(presets)
    {
    }

    Result<MeasuredSet> read(const std::vector<CsvRow>& rows)
    {
        MeasuredSet set;
        set.name = "measured";
        if (!rows.empty() && rows.front().open)
        {
            open_quote(fmt::format("line {}", rows.front().line), rows.front());
        }
        else if (rows.size() < 2 || rows.size() > kMostMeasuredRows + 1)
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

    void open_quote(const std::string& line, const CsvRow& row)
    {
        const std::size_t column = row.cells.size() - 1;
        fault(column < columns_.size() ? fmt::format("{}, {}", line, columns_[column].name) : line,
              "a quote is not closed", "close it with \"");
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
            refuse_second(column);
            columns_.push_back(std::move(column));
        }
        if (const auto times = std::ranges::count(columns_, Kind::time, &Column::kind); times != 1)
        {
            fault("", fmt::format("{} columns say how long a step took", times),
                  fmt::format("give one of {}", fmt::join(kTimes, ", ")));
        }
    }

    // "tensor" and "parallel.tensor" are the same column, too; of times there is one at most anyway.
    void refuse_second(const Column& column)
    {
        const auto same = [&](const Column& other)
        { return other.kind == column.kind && other.path == column.path; };
        if (const auto first = std::ranges::find_if(columns_, same);
            first != columns_.end() && column.kind != Kind::time &&
            (column.kind != Kind::field || !column.path.empty()))
        {
            fault("column " + column.name,
                  first->name == column.name ? "is there twice" : fmt::format("is \"{}\" again", first->name),
                  "leave out one of them");
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
            fault("column " + shortened(column), "is no field of a scenario",
                  did_you_mean(column, names, "use a path as evaluate --set takes it, \"parallel.tensor\""));
        }
        return path.value_or("");
    }

    // A row whose cells are those of the columns; nothing, and faults, where they say no valid scenario and
    // time.
    std::optional<MeasuredRow> read_row(const CsvRow& row)
    {
        const std::string line = fmt::format("line {}", row.line);
        if (!is_readable(row, line))
        {
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
                out.seconds = read_seconds(columns_[i].name, cell, *scenario, line);
            }
        }
        out.scenario = *scenario;
        out.name = out.name.empty() ? line : out.name;
        out.group = out.group.empty() ? std::to_string(scenario->model.hidden) : out.group;
        return out.seconds > 0 ? std::optional(std::move(out)) : std::nullopt;
    }

    // Whether it has the cells of the first row, and every number in them is one number only.
    bool is_readable(const CsvRow& row, const std::string& line)
    {
        if (row.open)
        {
            open_quote(line, row);
            return false;
        }
        if (row.cells.size() != columns_.size())
        {
            fault(line, fmt::format("has {} cells", row.cells.size()),
                  fmt::format("give {}, as the first row does", columns_.size()));
            return false;
        }
        bool readable = true;
        for (std::size_t i = 0; i < columns_.size(); ++i)
        {
            const std::string cell = trimmed(row.cells[i]);
            const bool number = columns_[i].kind == Kind::field || columns_[i].kind == Kind::time;
            if (number && is_ambiguous(cell, separator_))
            {
                fault(fmt::format("{}, {}", line, columns_[i].name),
                      fmt::format("\"{}\" has a comma that is neither decimal nor between thousands",
                                  shortened(cell)),
                      separator_ == ',' ? "write 12.5, or put ; between the columns" : "write 12.5 or 12,5");
                readable = false;
            }
        }
        return readable;
    }

    // Nothing above 0, and a fault, where that is no time a step takes.
    double read_seconds(const std::string& column, const std::string& cell, const Scenario& s,
                        const std::string& line)
    {
        const double value = number_in(cell, separator_).value_or(0);
        const double seconds = value > 0 ? seconds_of(column, value, s) : 0;
        if (is_step_time(seconds))
        {
            return seconds;
        }
        fault(fmt::format("{}, {}", line, column),
              fmt::format("\"{}\" is {}", shortened(cell),
                          value > 0 ? "no plausible step" : "no number above 0"),
              fmt::format("give what was measured, a step of {:g} to {:g} s", kLeastStepSeconds,
                          kMostStepSeconds));
        return 0;
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
            const auto number = number_in(cell, separator_);
            append(issues, set_path(document, number ? fmt::format("{}={}", path, *number)
                                                     : fmt::format("{}={}", path, cell)));
        }
        const auto read = issues.empty() ? scenario_from_json(document, presets_) : Result<Scenario>(issues);
        issues = errors_of(read ? validate(*read) : read.issues());
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

    char separator_;
    const Scenario& base_;
    const Presets& presets_;
    std::vector<Column> columns_;
    Issues issues_;
};

} // namespace

bool is_measured_csv(std::string_view text)
{
    const auto rows = csv_rows(first_line(text), separator_of(text));
    return !rows.empty() &&
           std::ranges::any_of(rows.front().cells, [](const std::string& cell)
                               { return std::ranges::find(kTimes, trimmed(cell)) != kTimes.end(); });
}

Result<MeasuredSet> measured_from_csv(std::string_view text, const Scenario& base, const Presets& presets)
{
    if (!is_utf8(text))
    {
        return Issue{fmt::format("line {}", line_of_fault(text)), "is not UTF-8", "save the table as UTF-8"};
    }
    const char separator = separator_of(text);
    return Table(separator, base, presets).read(csv_rows(text, separator));
}

} // namespace ringside
