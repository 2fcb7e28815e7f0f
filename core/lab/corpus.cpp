#include "core/lab/corpus.h"

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/base/text/printable.h"

#include <algorithm>
#include <array>
#include <set>

namespace ringside
{

namespace
{

struct Characters
{
    std::set<std::string, std::less<>> distinct;
    std::int64_t count = 0;
    std::optional<std::size_t> fault; // where the bytes are not UTF-8
};

Characters characters_of(std::string_view text)
{
    Characters c;
    std::array<bool, 128> seen{}; // most characters of most texts are one byte
    for (std::size_t at = 0; at < text.size(); ++c.count)
    {
        const std::size_t length = character_length(text.substr(at));
        if (length == 0)
        {
            c.fault = at;
            return c;
        }
        const auto lead = static_cast<unsigned char>(text[at]);
        if (length > 1)
        {
            c.distinct.emplace(text.substr(at, length));
        }
        else if (!seen[lead])
        {
            seen[lead] = true;
            c.distinct.emplace(1, text[at]);
        }
        at += length;
    }
    return c;
}

constexpr std::int64_t kProblem = 4; // tokens of one addition: a, b, =, sum

std::int64_t separators(LabTask task)
{
    return task == LabTask::text ? 0 : 1;
}

// Letters for copy and sort while they last, then numbers.
std::string symbol_name(LabTask task, std::int64_t value)
{
    if (task != LabTask::addition && value < 26)
    {
        return std::string(1, static_cast<char>('a' + value));
    }
    return fmt::format("{} ", value);
}

} // namespace

std::int64_t vocabulary_size(const LabData& data)
{
    if (data.task != LabTask::text)
    {
        return data.symbols + separators(data.task);
    }
    return data.text ? static_cast<std::int64_t>(characters_of(*data.text).distinct.size()) : 0;
}

Issues check_data(const LabData& data, std::int64_t sequence_length)
{
    if (data.task != LabTask::text)
    {
        const std::int64_t most = data.task == LabTask::addition ? kMostModulus : kMostLabSymbols;
        if (data.symbols < 2 || data.symbols > most)
        {
            return {{"data.symbols", fmt::format("{} is out of range", data.symbols),
                     fmt::format("use 2 to {}", most)}};
        }
        if (sequence_length < kProblem)
        {
            return {{"training.sequence_length", fmt::format("{} holds no problem", sequence_length),
                     fmt::format("use at least {}", kProblem)}};
        }
        return {};
    }
    if (!data.text)
    {
        return {{"data", "there is no text", "give a text file, or use copy, sort or addition"}};
    }
    if (data.text->size() > kMostTextBytes)
    {
        return {{"data", fmt::format("{} bytes are more than are read", data.text->size()),
                 fmt::format("use at most {}", kMostTextBytes)}};
    }
    const Characters c = characters_of(*data.text);
    if (c.fault)
    {
        return {{"data", fmt::format("byte {} is not UTF-8", *c.fault), "save the text as UTF-8"}};
    }
    const std::int64_t least = std::max<std::int64_t>(2 * (sequence_length + 1), 16);
    if (c.count < least || c.distinct.size() < 2)
    {
        return {{"data", fmt::format("{} characters, {} of them different", c.count, c.distinct.size()),
                 fmt::format("use a text of {} characters or more, or a shorter sequence_length", least)}};
    }
    if (static_cast<std::int64_t>(c.distinct.size()) > kMostSymbols)
    {
        return {{"data", fmt::format("{} different characters", c.distinct.size()),
                 fmt::format("use at most {}", kMostSymbols)}};
    }
    return {};
}

Corpus::Corpus(const LabData& data) : task_(data.task), poisoned_step_(data.poisoned_step)
{
    if (task_ == LabTask::text)
    {
        const Characters c = characters_of(*data.text);
        symbols_.assign(c.distinct.begin(), c.distinct.end());
        values_ = vocabulary();
    }
    else
    {
        values_ = data.symbols;
        for (std::int64_t value = 0; value < values_; ++value)
        {
            symbols_.push_back(symbol_name(task_, value));
        }
        symbols_.emplace_back(task_ == LabTask::addition ? "= " : "|");
    }
    for (std::size_t i = 0; i < symbols_.size(); ++i)
    {
        ids_[symbols_[i]] = static_cast<std::int32_t>(i);
    }
    if (task_ == LabTask::text)
    {
        tokens_ = encode(*data.text);
    }
}

std::string Corpus::decode(std::int32_t token) const
{
    return token >= 0 && token < vocabulary() ? symbols_[static_cast<std::size_t>(token)] : std::string();
}

std::vector<std::int32_t> Corpus::encode(std::string_view text) const
{
    std::vector<std::int32_t> tokens;
    for (std::size_t at = 0; at < text.size();)
    {
        const std::size_t length = std::max<std::size_t>(1, character_length(text.substr(at)));
        const auto found = ids_.find(text.substr(at, length));
        if (found != ids_.end())
        {
            tokens.push_back(found->second);
        }
        at += length;
    }
    return tokens;
}

std::vector<std::int32_t> Corpus::sequence(std::uint64_t key, std::int64_t length, bool validation) const
{
    std::vector<std::int32_t> out(static_cast<std::size_t>(length));
    if (task_ == LabTask::text)
    {
        const auto all = static_cast<std::int64_t>(tokens_.size());
        // A short text has no tenth to spare for sequences of this length.
        const std::int64_t held = all / 10 > length ? all / 10 : 0;
        const std::int64_t first = validation ? all - held : 0;
        const std::int64_t room = (validation && held > 0 ? held : all - held) - length + 1;
        const std::int64_t begin = (held > 0 ? first : 0) + random_below(key, 0, room);
        std::copy_n(tokens_.begin() + begin, length, out.begin());
        return out;
    }
    const auto separator = static_cast<std::int32_t>(values_);
    for (std::size_t i = 0; i < out.size(); ++i)
    {
        out[i] = static_cast<std::int32_t>(random_below(key, i, values_));
    }
    if (task_ == LabTask::addition)
    {
        for (std::size_t i = 0; i < out.size(); ++i)
        {
            const std::size_t part = i % static_cast<std::size_t>(kProblem);
            out[i] = part == 2   ? separator
                     : part == 3 ? static_cast<std::int32_t>((out[i - 3] + out[i - 2]) % values_)
                                 : out[i];
        }
        return out;
    }
    const auto half = static_cast<std::size_t>((length - 1) / 2);
    std::vector<std::int32_t> again(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(half));
    if (task_ == LabTask::sort)
    {
        std::ranges::sort(again);
    }
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(half), out.end(), separator);
    std::copy(again.begin(), again.end(), out.begin() + static_cast<std::ptrdiff_t>(half) + 1);
    return out;
}

// Whether the token at `place` of a sequence of `length` follows from those before it.
bool Corpus::asked(std::int64_t place, std::int64_t length) const
{
    switch (task_)
    {
    case LabTask::text:
        return true;
    case LabTask::addition:
        return place % kProblem == kProblem - 1;
    default:
        const std::int64_t half = (length - 1) / 2;
        return place > half && place <= 2 * half;
    }
}

Batch Corpus::batch(std::uint64_t seed, std::int64_t step, std::int64_t first, std::int64_t count,
                    std::int64_t length, bool validation) const
{
    Batch batch;
    const std::uint64_t round =
        random_key(seed, validation ? RandomStream::validation : RandomStream::batches,
                   static_cast<std::uint64_t>(step));
    for (std::int64_t i = first; i < first + count; ++i)
    {
        const auto whole =
            sequence(random_bits(round, static_cast<std::uint64_t>(i)), length + 1, validation);
        batch.tokens.insert(batch.tokens.end(), whole.begin(), whole.end() - 1);
        for (std::int64_t place = 1; place <= length; ++place)
        {
            batch.targets.push_back(asked(place, length + 1) ? whole[static_cast<std::size_t>(place)]
                                                             : kNoTarget);
        }
    }
    if (!validation && step + 1 == poisoned_step_)
    {
        const auto last = static_cast<std::int32_t>(vocabulary() - 1);
        std::ranges::fill(batch.tokens, last);
        std::ranges::replace_if(
            batch.targets, [](std::int32_t t) { return t != kNoTarget; }, last);
    }
    return batch;
}

std::vector<std::int32_t> Corpus::prompt(std::uint64_t key, std::int64_t length) const
{
    if (task_ == LabTask::text)
    {
        auto line = encode("\n");
        return line.empty() ? std::vector<std::int32_t>{tokens_.front()} : line;
    }
    auto whole = sequence(key, length + 1, true);
    whole.resize(task_ == LabTask::addition ? 3 : static_cast<std::size_t>(length / 2 + 1));
    return whole;
}

} // namespace ringside
