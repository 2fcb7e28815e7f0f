#include "core/pipeline/notation.h"

#include <fmt/format.h>

#include "core/base/json/json.h"
#include "core/base/text/printable.h"
#include "core/pipeline/simulate.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostNumber = 1 << 20;

// Takes a number from the front of `text`; nothing where there is none or it is too large.
std::optional<std::int32_t> take_number(std::string_view& text)
{
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0 || value > kMostNumber)
    {
        return {};
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

// "3F5", or "F5" on line 3.
std::optional<Operation> read_operation(std::string_view word, std::size_t line)
{
    Operation operation;
    operation.stage = static_cast<std::int32_t>(line);
    if (!word.empty() && word.front() >= '0' && word.front() <= '9')
    {
        const auto stage = take_number(word);
        if (!stage)
        {
            return {};
        }
        operation.stage = *stage;
    }
    const std::size_t pass =
        word.empty() ? std::string_view::npos : std::string_view("FBIW").find(word.front());
    if (pass == std::string_view::npos)
    {
        return {};
    }
    operation.pass = static_cast<Pass>(pass);
    word.remove_prefix(1);
    const auto micro_batch = take_number(word);
    if (!micro_batch || !word.empty())
    {
        return {};
    }
    operation.micro_batch = *micro_batch;
    return operation;
}

Issue no_operation(std::size_t line, std::string_view word)
{
    return {fmt::format("line {}", line + 1), fmt::format("\u201c{}\u201d is no operation", shortened(word)),
            "write stage, one of F B I W, micro-batch: 0F0; two at most with & between"};
}

// Adds the operations of a word: "0F3", or "0F3&3B1" for two that run together.
bool add_word(std::string_view word, std::size_t line, std::vector<Operation>& ops)
{
    for (;;)
    {
        const std::size_t joint = word.find('&');
        auto operation = read_operation(word.substr(0, joint), line);
        if (!operation)
        {
            return false;
        }
        operation->with_next = joint != std::string_view::npos;
        if (operation->with_next && !ops.empty() && ops.back().with_next)
        {
            return false; // two at most run together
        }
        ops.push_back(*operation);
        if (joint == std::string_view::npos)
        {
            return true;
        }
        word.remove_prefix(joint + 1);
    }
}

// What is left of a line without its remark and "rank 0:" or "0:".
std::string_view without_label(std::string_view line)
{
    line = line.substr(0, line.find('#'));
    const std::size_t colon = line.find(':');
    return colon == std::string_view::npos ? line : line.substr(colon + 1);
}

Result<WrittenOrder> counted(Order order)
{
    WrittenOrder written;
    std::size_t operations = 0;
    for (const auto& ops : order)
    {
        operations += ops.size();
        for (const Operation& o : ops)
        {
            written.virtual_stages = std::max<std::int64_t>(written.virtual_stages, o.stage + 1);
            written.micro_batches = std::max<std::int64_t>(written.micro_batches, o.micro_batch + 1);
        }
    }
    if (operations == 0)
    {
        return Issue{"order", "there is no operation in it",
                     "write one line per rank, such as 0F0 0F1 0B0 0B1"};
    }
    if (3 * written.virtual_stages * written.micro_batches > kMostOperations)
    {
        return Issue{"order",
                     fmt::format("{} stages by {} micro-batches is too large", written.virtual_stages,
                                 written.micro_batches),
                     "number both from 0 without gaps"};
    }
    written.order = std::move(order);
    return written;
}

Result<WrittenOrder> read_lines(std::string_view text)
{
    Order order;
    for (std::size_t number = 0; !text.empty(); ++number)
    {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = without_label(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        std::vector<Operation> ops;
        constexpr std::string_view kGaps = " \t\r,;[]\"";
        while (!line.empty())
        {
            const std::size_t start = line.find_first_not_of(kGaps);
            if (start == std::string_view::npos)
            {
                break;
            }
            line.remove_prefix(start);
            const std::string_view word = line.substr(0, line.find_first_of(kGaps));
            line.remove_prefix(word.size());
            if (!add_word(word, order.size(), ops))
            {
                return no_operation(number, word);
            }
        }
        if (!ops.empty())
        {
            order.push_back(std::move(ops));
        }
    }
    return counted(std::move(order));
}

Result<WrittenOrder> read_json(const nlohmann::json& document)
{
    const auto ranks = document.find("ranks");
    if (ranks == document.end() || !ranks->is_array())
    {
        return Issue{"ranks", "is not there", "give a list of operations for each rank"};
    }
    Order order;
    for (const auto& rank : *ranks)
    {
        std::vector<Operation> ops;
        for (const auto& word : rank)
        {
            if (!word.is_string() || !add_word(word.get<std::string>(), order.size(), ops))
            {
                return no_operation(order.size(), word.dump());
            }
        }
        order.push_back(std::move(ops));
    }
    for (const auto& pair : document.value("pairs", nlohmann::json::array()))
    {
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
            !pair[1].is_number_unsigned())
        {
            return Issue{"pairs", pair.dump() + " is no pair",
                         "give a rank and the place of the first of the two"};
        }
        const auto rank = pair[0].get<std::size_t>();
        const auto first = pair[1].get<std::size_t>();
        if (rank >= order.size() || first + 1 >= order[rank].size())
        {
            return Issue{"pairs", pair.dump() + " is not in the order", "count ranks and places from 0"};
        }
        order[rank][first].with_next = true;
    }
    return counted(std::move(order));
}

} // namespace

Result<WrittenOrder> read_order(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{')
    {
        return read_lines(text);
    }
    try
    {
        return read_json(nlohmann::json::parse(text));
    }
    catch (const nlohmann::json::exception& e)
    {
        const std::string_view what =
            e.what(); // "[json.exception.parse_error.101] parse error at line 1 ..."
        return Issue{"order", "is no JSON: " + std::string(what.substr(what.find(']') + 2)),
                     "paste what `ringside schedule --json` prints"};
    }
}

std::string write_order(const Order& order)
{
    std::string text;
    for (const auto& ops : order)
    {
        bool joined = true; // the first needs no space before it
        for (const Operation& o : ops)
        {
            text += (joined ? "" : " ") + to_text(o) + (o.with_next ? "&" : "");
            joined = o.with_next;
        }
        text += '\n';
    }
    return text;
}

} // namespace ringside
