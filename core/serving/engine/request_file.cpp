#include "core/serving/engine/request_file.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/csv.h"
#include "core/base/units.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <list>
#include <unordered_map>

namespace ringside
{

namespace
{

constexpr double kMostTraceTokens = 1e8;

// The text behind `"name":` in one line; empty where it has none.
std::string_view value_behind(std::string_view line, std::string_view name)
{
    for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1))
    {
        const std::size_t end = at + name.size();
        if (at > 0 && line[at - 1] == '"' && end < line.size() && line[end] == '"')
        {
            const std::size_t from = line.find_first_not_of(": ", end + 1);
            return from == std::string_view::npos ? std::string_view() : line.substr(from);
        }
    }
    return {};
}

bool number_of(std::string_view text, double& value)
{
    const auto from = text.find_first_not_of(" \"");
    const std::string_view trimmed = from == std::string_view::npos ? text : text.substr(from);
    return std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), value).ec == std::errc();
}

// Seconds of the day behind the date in "2023-11-16 18:17:03.9799600"; days count by their number in the
// month.
bool clock_of(std::string_view text, double& seconds)
{
    const auto part = [&](std::size_t at, std::size_t length)
    {
        double value = -1;
        return text.size() >= at + length && number_of(text.substr(at, length), value) ? value : -1;
    };
    const double day = part(8, 2);
    const double hour = part(11, 2);
    const double minute = part(14, 2);
    const double second = part(17, text.size() > 17 ? text.size() - 17 : 0);
    seconds = ((day * 24 + hour) * 60 + minute) * 60 + second;
    return day >= 0 && hour >= 0 && minute >= 0 && second >= 0;
}

class RequestReader
{
public:
    RequestReader(std::string_view text, std::size_t first, double speed)
        : text_(text), first_(first > 0 ? first : std::string_view::npos), speed_(speed)
    {
    }

    Result<RequestTrace> read()
    {
        const std::size_t begin = text_.find_first_not_of(" \r\n\t\xef\xbb\xbf");
        const std::string_view start = begin == std::string_view::npos ? "" : text_.substr(begin);
        const bool lines = start.starts_with("{") &&
                           !value_behind(start.substr(0, start.find('\n')), "input_length").empty();
        if (lines)
        {
            read_lines(start);
        }
        else if (start.starts_with("{"))
        {
            read_bench(start);
        }
        else
        {
            read_table(start);
        }
        if (issues_.empty() && trace_.requests.empty())
        {
            fault(1, "is no file of requests",
                  "give Mooncake's JSON lines, Azure's or BurstGPT's CSV, or vLLM's benchmark JSON");
        }
        return issues_.empty() ? finish() : Result<RequestTrace>(issues_);
    }

private:
    bool full() const { return trace_.requests.size() >= first_ || !issues_.empty(); }
    void fault(std::int64_t line, std::string message, std::string hint)
    {
        issues_.push_back(
            {fmt::format("line {}", line), std::move(message), std::move(hint), Severity::error});
    }
    void add(std::int64_t line, double seconds, double prompt, double output)
    {
        const auto tokens = [](double n) { return n >= 0 && n <= kMostTraceTokens && n == std::trunc(n); };
        if (!std::isfinite(seconds) || std::abs(seconds) > 1e12 || !tokens(prompt) || !tokens(output))
        {
            fault(line, fmt::format("{:g} and {:g} tokens at {:g} s are no request", prompt, output, seconds),
                  "use whole numbers of tokens");
            return;
        }
        EngineRequest r;
        r.arrival = seconds / speed_;
        r.prompt = std::max<std::int64_t>(1, static_cast<std::int64_t>(prompt));
        r.output = std::max<std::int64_t>(1, static_cast<std::int64_t>(output));
        trace_.requests.push_back(r);
    }
    void add_blocks(std::string_view list)
    {
        const char* at = list.data();
        const char* const end = at + std::min(list.size(), list.find(']'));
        while (at < end)
        {
            std::uint64_t id = 0;
            const auto read = std::from_chars(at, end, id);
            at = read.ec == std::errc() ? read.ptr : at + 1;
            if (read.ec == std::errc())
            {
                trace_.blocks.push_back(
                    numbers_.try_emplace(id, static_cast<std::uint32_t>(numbers_.size())).first->second);
            }
        }
    }
    void read_lines(std::string_view text)
    {
        trace_.format = "Mooncake";
        std::int64_t number = 0;
        while (!text.empty() && !full())
        {
            const std::size_t end = std::min(text.size(), text.find('\n'));
            const std::string_view line = text.substr(0, end);
            text.remove_prefix(std::min(text.size(), end + 1));
            ++number;
            if (line.find_first_not_of(" \r\t") == std::string_view::npos)
            {
                continue;
            }
            double when = 0;
            double prompt = -1;
            double output = -1;
            if (!number_of(value_behind(line, "timestamp"), when) ||
                !number_of(value_behind(line, "input_length"), prompt) ||
                !number_of(value_behind(line, "output_length"), output))
            {
                fault(number, "lacks timestamp, input_length or output_length", "give all three");
                return;
            }
            trace_.first_block.push_back(trace_.blocks.size());
            add_blocks(value_behind(line, "hash_ids"));
            add(number, when / 1000, prompt, output);
        }
    }
    void read_bench(std::string_view text)
    {
        trace_.format = "vLLM benchmark";
        const auto list = [&](std::string_view name)
        {
            std::vector<double> values;
            std::string_view left = value_behind(text, name);
            left = left.substr(0, left.find(']'));
            for (std::size_t at = left.find_first_of("[,"); at != std::string_view::npos;
                 at = left.find_first_of("[,", at + 1))
            {
                double value = 0;
                if (number_of(left.substr(at + 1), value))
                {
                    values.push_back(value);
                }
            }
            return values;
        };
        const auto prompts = list("input_lens");
        const auto outputs = list("output_lens");
        const auto starts = list("start_times");
        for (std::size_t i = 0; i < std::min(prompts.size(), outputs.size()) && !full(); ++i)
        {
            add(1, i < starts.size() ? starts[i] : 0, prompts[i], outputs[i]);
        }
    }
    // Columns by their names: Azure's TIMESTAMP, ContextTokens, GeneratedTokens; BurstGPT's Timestamp,
    // Request tokens, Response tokens.
    void read_table(std::string_view text)
    {
        const auto rows = csv_rows(text, ',');
        if (rows.empty())
        {
            return;
        }
        const auto column = [&](std::initializer_list<std::string_view> names)
        {
            const auto& cells = rows.front().cells;
            const auto found = std::ranges::find_if(cells, [&](const std::string& c)
                                                    { return std::ranges::find(names, c) != names.end(); });
            return static_cast<std::size_t>(found - cells.begin());
        };
        const std::size_t when = column({"TIMESTAMP", "Timestamp"});
        const std::size_t prompt = column({"ContextTokens", "Request tokens"});
        const std::size_t output = column({"GeneratedTokens", "Response tokens"});
        const std::size_t width = rows.front().cells.size();
        if (std::max({when, prompt, output}) >= width)
        {
            return;
        }
        trace_.format = rows.front().cells[prompt] == "ContextTokens" ? "Azure" : "BurstGPT";
        for (std::size_t i = 1; i < rows.size() && !full(); ++i)
        {
            const auto& cells = rows[i].cells;
            double seconds = 0;
            double in = -1;
            double out = -1;
            const bool timed = cells.size() >= width &&
                               (cells[when].find(':') != std::string::npos ? clock_of(cells[when], seconds)
                                                                           : number_of(cells[when], seconds));
            if (!timed || !number_of(cells[prompt], in) || !number_of(cells[output], out))
            {
                fault(rows[i].line, "is no request", "give its time and both numbers of tokens");
                return;
            }
            add(rows[i].line, seconds, in, out);
        }
    }
    RequestTrace finish()
    {
        const auto earlier = [](const EngineRequest& a, const EngineRequest& b)
        { return a.arrival < b.arrival; };
        if (trace_.blocks.empty())
        {
            trace_.first_block.assign(trace_.requests.size(), 0);
            std::stable_sort(trace_.requests.begin(), trace_.requests.end(), earlier);
        }
        trace_.first_block.push_back(trace_.blocks.size());
        // With blocks, a request that is out of order comes when the one before it did.
        double begin = trace_.requests.front().arrival;
        double last = begin;
        for (EngineRequest& r : trace_.requests)
        {
            last = std::max(last, r.arrival);
            r.arrival = last - begin;
        }
        return std::move(trace_);
    }

    std::string_view text_;
    std::size_t first_;
    double speed_;
    RequestTrace trace_;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
    Issues issues_;
};

// Blocks by when they were last wanted; a list threaded through two arrays.
class BlockCache
{
public:
    BlockCache(std::size_t blocks, std::size_t room)
        : before_(blocks + 1, kNone), after_(blocks + 1, kNone), room_(room)
    {
        before_[end()] = after_[end()] = static_cast<std::uint32_t>(end());
    }
    bool has(std::uint32_t block) const { return before_[block] != kNone; }
    void want(std::uint32_t block)
    {
        if (has(block))
        {
            unlink(block);
        }
        else
        {
            ++held_;
        }
        link(block);
        if (room_ > 0 && held_ > room_)
        {
            unlink(before_[end()]);
            --held_;
        }
    }

private:
    static constexpr std::uint32_t kNone = 0xffffffffU;
    std::size_t end() const { return before_.size() - 1; }
    void link(std::uint32_t block)
    {
        const auto head = static_cast<std::uint32_t>(end());
        before_[block] = head;
        after_[block] = after_[head];
        before_[after_[block]] = block;
        after_[head] = block;
    }
    void unlink(std::uint32_t block)
    {
        after_[before_[block]] = after_[block];
        before_[after_[block]] = before_[block];
        before_[block] = after_[block] = kNone;
    }

    std::vector<std::uint32_t> before_;
    std::vector<std::uint32_t> after_;
    std::size_t room_;
    std::size_t held_ = 0;
};

} // namespace

Result<RequestTrace> read_requests(std::string_view text, std::size_t first, double speed)
{
    return RequestReader(text, first, speed).read();
}

double find_prefixes(RequestTrace& trace, std::size_t cache_blocks)
{
    const std::uint32_t largest = largest_over<std::uint32_t>(trace.blocks);
    BlockCache cache(trace.blocks.empty() ? 0 : std::size_t{largest} + 1, cache_blocks);
    double found = 0;
    double all = 0;
    for (std::size_t i = 0; i < trace.requests.size(); ++i)
    {
        EngineRequest& r = trace.requests[i];
        std::size_t hits = 0;
        const std::size_t from = trace.first_block[i];
        const std::size_t to = trace.first_block[i + 1];
        while (from + hits < to && cache.has(trace.blocks[from + hits]))
        {
            ++hits;
        }
        for (std::size_t b = to; b > from; --b) // so that a prefix outlives what follows it
        {
            cache.want(trace.blocks[b - 1]);
        }
        const std::int64_t tokens = std::min(r.prompt, static_cast<std::int64_t>(hits) * kTraceBlock);
        r.cached = std::min(r.prompt - 1, tokens);
        found += real(tokens);
        all += real(r.prompt);
    }
    return all > 0 ? found / all : 0;
}

} // namespace ringside
