#include "core/runs/nccl_tests.h"

#include "core/runs/log.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kGiga = 1e9;
constexpr std::size_t kMostNcclRows = 100'000;

std::vector<std::string_view> words_of(std::string_view line)
{
    std::vector<std::string_view> words;
    while (!line.empty() && words.size() < 32)
    {
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
        if (end > 0)
        {
            words.push_back(line.substr(0, end));
        }
        line.remove_prefix(end);
    }
    return words;
}

template <class T>
std::optional<T> number_in(std::string_view word)
{
    T value{};
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
    return fault == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

// size count type redop root time algbw busbw #wrong time algbw busbw #wrong; older ones have no root.
std::optional<NcclTestRow> row_of(const std::vector<std::string_view>& words, NcclTest& test)
{
    const auto bytes = words.empty() ? std::nullopt : number_in<std::int64_t>(words[0]);
    if (!bytes || words.size() < 11 || number_in<double>(words[2]))
    {
        return std::nullopt;
    }
    // Columns from the end: two times four.
    const std::size_t first = words.size() - 8;
    const auto at = [&](std::size_t place) { return number_in<double>(words[place]); };
    const auto time = at(first);
    const auto algorithm = at(first + 1);
    const auto bus = at(first + 2);
    if (!time || !algorithm || !bus || !(*time >= 0))
    {
        return std::nullopt;
    }
    test.type = words[2];
    test.operation = words[3] == "none" || number_in<double>(words[3]) ? "" : std::string(words[3]);
    return NcclTestRow{*bytes, *time * 1e-6, *algorithm * kGiga, *bus * kGiga,
                       at(first + 6).value_or(0) * kGiga};
}

} // namespace

bool is_nccl_test(std::string_view text)
{
    return text.find("algbw") != std::string_view::npos && text.find("busbw") != std::string_view::npos;
}

Result<NcclTest> read_nccl_test(std::string_view text)
{
    NcclTest test;
    while (!text.empty() && test.rows.size() < kMostNcclRows)
    {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const LogLine line = log_line(text.substr(0, end), 1);
        if (const auto row = row_of(words_of(line.text), test))
        {
            test.rows.push_back(*row);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (test.rows.empty())
    {
        return Issue{"", "has no row of a table of nccl-tests", "give what all_reduce_perf prints"};
    }
    std::ranges::stable_sort(test.rows, {}, &NcclTestRow::bytes);
    return test;
}

double NcclTest::peak_bus() const
{
    return rows.empty() ? 0
                        : std::ranges::max(rows, {}, &NcclTestRow::bus_bytes_per_second).bus_bytes_per_second;
}

double NcclTest::peak_bus_in_place() const
{
    return rows.empty() ? 0 : std::ranges::max(rows, {}, &NcclTestRow::bus_in_place).bus_in_place;
}

std::int64_t NcclTest::ranks_of_all_reduce() const
{
    const NcclTestRow* const last = rows.empty() ? nullptr : &rows.back();
    const double ratio = last == nullptr || last->algorithm_bytes_per_second <= 0
                             ? 0
                             : last->bus_bytes_per_second / last->algorithm_bytes_per_second;
    return operation.empty() || ratio <= 1 || ratio >= 1.9999 ? 0 : std::llround(2 / (2 - ratio));
}

} // namespace ringside
