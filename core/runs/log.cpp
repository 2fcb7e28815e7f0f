#include "core/runs/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace ringside
{

namespace
{

constexpr std::size_t kMostRecordLines = 22; // that one step is printed over
constexpr std::size_t kMostLoggedSteps = 2'000'000;

// Those that are not empty; a carriage return ends one, too, as progress bars write it.
std::vector<LogLine> lines_of(std::string_view text)
{
    std::vector<LogLine> lines;
    std::int64_t number = 1;
    while (!text.empty())
    {
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
        if (end > 0)
        {
            lines.push_back(log_line(text.substr(0, end), number));
        }
        number += end < text.size() && text[end] == '\n' ? 1 : 0;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool has_marks(const LogFormat& format, std::string_view small)
{
    return small.find(format.marks[0]) != std::string_view::npos &&
           small.find(format.marks[1]) != std::string_view::npos &&
           (format.never.empty() || small.find(format.never) == std::string_view::npos);
}

// Fills in what is not there yet; whether there was anything.
bool take_fields(const LogFormat& format, std::string_view small, LoggedStep& step)
{
    bool any = false;
    for (const LogField& field : format.fields)
    {
        std::optional<double>& value = step.at(field.value);
        const auto found = value ? std::nullopt : log_number(small, field);
        if (!found || (std::isnan(*found) && field.value != LogValue::loss))
        {
            continue;
        }
        if (std::isnan(*found))
        {
            step.nan_loss = true;
            any = true;
        }
        else if (*found >= 0 || field.value == LogValue::loss)
        {
            value = found;
            any = true;
        }
    }
    return any;
}

// "| 99/100 [": what a progress bar says of the step.
std::optional<std::int64_t> bar_step(std::string_view small)
{
    const std::size_t slash = small.find('/');
    const std::size_t bracket = small.find(" [", std::min(slash, small.size()));
    if (bracket == std::string_view::npos || small.find('|') > slash)
    {
        return std::nullopt;
    }
    std::int64_t value = 0;
    std::int64_t unit = 1;
    std::size_t at = slash;
    for (; at > 0 && small[at - 1] >= '0' && small[at - 1] <= '9' && unit < 1'000'000'000; --at)
    {
        value += (small[at - 1] - '0') * unit;
        unit *= 10;
    }
    return at < slash ? std::optional(value) : std::nullopt;
}

class LogReader
{
public:
    explicit LogReader(const LogFormat& format) : format_(format) { log_.format = &format; }

    void take(const std::vector<LogLine>& lines)
    {
        for (const LogLine& line : lines)
        {
            bar_ = bar_step(line.small).value_or(bar_);
            LoggedStep step;
            if (starts(line, step))
            {
                finish();
                step.stamp = line.stamp;
                open_ = std::move(step);
                lines_ = 0;
            }
            else if (open_ && ++lines_ <= kMostRecordLines)
            {
                take_fields(format_, line.small, *open_);
            }
        }
        finish();
    }
    TrainingLog log() { return std::move(log_); }

private:
    bool starts(const LogLine& line, LoggedStep& step)
    {
        if (!has_marks(format_, line.small) && !continues(line))
        {
            return false;
        }
        const auto number = format_.numbered ? log_number(line.small, {LogValue::step, format_.marks[0]})
                                             : std::optional(static_cast<double>(counted_step()));
        if (!number || !(*number >= 0 && *number < 1e12) ||
            (!take_fields(format_, line.small, step) && !format_.headed))
        {
            return false;
        }
        step.step = static_cast<std::int64_t>(*number);
        if (const auto tokens = step.at(LogValue::tokens); !format_.numbered && tokens)
        {
            tokens_of_step_ = tokens_of_step_ > 0 || step.step == 0 ? tokens_of_step_ : *tokens / *number;
            step.step =
                tokens_of_step_ > 0 ? std::llround(std::min(*tokens / tokens_of_step_, 1e12)) : step.step;
        }
        counted_ = step.step;
        return true;
    }
    // The step of a line without a number: as the bar says, which may be drawn after the line, or the next.
    std::int64_t counted_step()
    {
        behind_ = behind_ || (bar_ > 0 && bar_ == counted_);
        return bar_ > 0 ? bar_ + (behind_ ? 1 : 0) : counted_ + 1;
    }
    // A step whose line is cut before the second mark, which the next one has.
    bool continues(const LogLine& line) const
    {
        return format_.numbered && open_ && line.small.find(format_.marks[0]) != std::string::npos &&
               line.small.find('|') != std::string::npos && format_.never.empty() &&
               format_.marks[0].size() > 8;
    }

    void finish()
    {
        if (!open_ || log_.steps.size() >= kMostLoggedSteps)
        {
            return;
        }
        LoggedStep& step = *open_;
        const auto known = seen_.find(step.step);
        const LoggedStep* const same = known == seen_.end() ? nullptr : &log_.steps[known->second];
        const bool other_loss = same != nullptr && same->at(LogValue::loss) && step.at(LogValue::loss) &&
                                *same->at(LogValue::loss) != *step.at(LogValue::loss);
        const bool clock_back = last_stamp_ && step.stamp && *step.stamp < *last_stamp_ - 60;
        if (other_loss || clock_back)
        {
            log_.messages.push_back(
                clock_back
                    ? fmt::format("the clock goes back at step {}: another run begins", step.step)
                    : fmt::format("step {} comes again with another loss: another run begins", step.step));
            ++log_.runs;
            seen_.clear();
        }
        else if (same != nullptr)
        {
            ++log_.copies;
            open_.reset();
            return;
        }
        last_stamp_ = step.stamp ? step.stamp : last_stamp_;
        step.run = log_.runs - 1;
        seen_[step.step] = log_.steps.size();
        log_.steps.push_back(std::move(step));
        open_.reset();
    }

    const LogFormat& format_;
    TrainingLog log_;
    std::optional<LoggedStep> open_;
    std::size_t lines_ = 0;
    std::int64_t counted_ = 0; // the last step
    std::int64_t bar_ = 0;
    bool behind_ = false;                      // the bar is
    double tokens_of_step_ = 0;                // 0: not known
    std::map<std::int64_t, std::size_t> seen_; // steps of the run -> place
    std::optional<double> last_stamp_;
};

// The first format, by preference, that has a step in these lines.
const LogFormat* format_of(const std::vector<LogLine>& lines)
{
    const LogFormat* best = nullptr;
    for (const LogLine& line : lines)
    {
        for (const LogFormat& format : log_formats())
        {
            if (best != nullptr && &format >= best)
            {
                break;
            }
            LoggedStep step;
            if (has_marks(format, line.small) &&
                (!format.numbered || log_number(line.small, {LogValue::step, format.marks[0]})) &&
                (take_fields(format, line.small, step) || format.headed))
            {
                best = &format;
                break;
            }
        }
        if (best == log_formats().data())
        {
            break;
        }
    }
    return best;
}

// Frameworks that print Megatron-LM's lines are told apart by a line of their own.
const LogFormat* by_own_line(const LogFormat* format, const std::vector<LogLine>& lines)
{
    for (const LogFormat& other : log_formats())
    {
        if (other.marks[0] != format->marks[0] || other.fields.data() != format->fields.data() ||
            &other >= format)
        {
            continue;
        }
        if (std::ranges::any_of(lines, [&](const LogLine& line)
                                { return line.small.find(other.marks[1]) != std::string::npos; }))
        {
            return &other;
        }
    }
    return format;
}

std::size_t longest_run(const TrainingLog& log)
{
    std::vector<std::size_t> lengths(log.runs);
    for (const LoggedStep& step : log.steps)
    {
        ++lengths[step.run];
    }
    return static_cast<std::size_t>(std::ranges::max_element(lengths) - lengths.begin());
}

} // namespace

bool is_training_log(std::string_view text)
{
    return format_of(lines_of(text.substr(0, 4U << 20U))) != nullptr;
}

Result<TrainingLog> read_log(std::string_view text)
{
    if (text.size() > kMostLogBytes)
    {
        return Issue{"", fmt::format("the log has {} bytes", text.size()),
                     fmt::format("give its lines of steps, at most {} bytes", kMostLogBytes)};
    }
    const auto lines = lines_of(text);
    const LogFormat* const format = format_of(lines);
    if (format == nullptr)
    {
        std::string names;
        for (const LogFormat& each : log_formats())
        {
            const std::string name(each.name);
            names += names.find(name) != std::string::npos ? "" : (names.empty() ? "" : ", ") + name;
        }
        return Issue{"", "no line of it is a step of a framework that is known", "known are " + names};
    }
    LogReader reader(*format);
    reader.take(lines);
    TrainingLog log = reader.log();
    log.format = by_own_line(format, lines);
    log.longest = longest_run(log);
    read_facts(log, lines);
    if (log.format->id == "torchtitan")
    {
        read_titan_head(log, lines);
    }
    log.summary = summary_of(log);
    return log;
}

} // namespace ringside
