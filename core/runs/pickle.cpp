// Python's pickles as data (CPython, Lib/pickle.py and Lib/pickletools.py): the opcodes that make numbers,
// texts, lists, tuples and dicts, which are all that PyTorch's own viewer reads
// (torch/utils/viz/MemoryViz.js). Those that import, call or build objects are refused by name.
#include <fmt/format.h>

#include "core/runs/data_tree.h"

#include <array>
#include <bit>
#include <cstring>
#include <optional>

namespace ringside
{

namespace
{

using Kind = DataValue::Kind;

constexpr std::size_t kMostValues = 24'000'000; // kept in lists and in the memo
constexpr std::size_t kMostLists = 8'000'000;

class PickleReader
{
public:
    explicit PickleReader(std::string_view bytes) : bytes_(bytes) {}

    Result<DataTree> read();

    // What opcodes do. Each returns false after fail().
    bool fail(std::string why)
    {
        why_ = std::move(why);
        return false;
    }
    bool push(const DataValue& value)
    {
        stack_.push_back(value);
        return true;
    }
    bool push_whole(std::int64_t value, Kind kind = Kind::whole)
    {
        DataValue one;
        one.kind = kind;
        one.whole = value;
        return push(one);
    }
    bool push_little(std::size_t count, bool is_signed);
    bool push_long();
    bool push_real();
    bool push_text(std::size_t length_bytes);
    bool push_empty(Kind kind);
    bool mark()
    {
        marks_.push_back(stack_.size());
        return true;
    }
    bool add_since_mark(Kind kind);
    bool add_last(std::size_t count, Kind kind);
    bool collect(Kind kind);
    bool collect_last(std::size_t count);
    bool put(std::optional<std::size_t> length_bytes);
    bool get(std::size_t length_bytes);
    bool skip(std::size_t count) { return take(count).has_value(); }
    bool stop()
    {
        stopped_ = true;
        return !stack_.empty() || fail("ends with nothing");
    }

private:
    std::optional<std::string_view> take(std::size_t count)
    {
        if (count > bytes_.size() - at_)
        {
            fail(fmt::format("a length of {} bytes goes beyond its end", count));
            return std::nullopt;
        }
        at_ += count;
        return bytes_.substr(at_ - count, count);
    }
    std::optional<std::uint64_t> little(std::size_t count)
    {
        const auto from = take(count);
        std::uint64_t value = 0;
        for (std::size_t i = 0; from && i < count; ++i)
        {
            value |= std::uint64_t{static_cast<unsigned char>((*from)[i])} << (8 * i);
        }
        return from ? std::optional(value) : std::nullopt;
    }
    bool append(const DataValue& target, std::size_t from, Kind kind);
    bool counts(std::size_t more)
    {
        values_ += more;
        return values_ <= kMostValues || fail("holds more than 24,000,000 values");
    }
    // Where a list of the last values begins, after their mark is gone.
    std::optional<std::size_t> unmark()
    {
        if (marks_.empty() || marks_.back() > stack_.size())
        {
            fail("closes a list that it has not opened");
            return std::nullopt;
        }
        const std::size_t from = marks_.back();
        marks_.pop_back();
        return from;
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    DataTree tree_;
    std::vector<DataValue> stack_;
    std::vector<std::size_t> marks_;
    std::vector<DataValue> memo_;
    std::size_t values_ = 0;
    std::string why_;
    bool stopped_ = false;
};

bool PickleReader::push_little(std::size_t count, bool is_signed)
{
    const auto value = little(count);
    return value && push_whole(is_signed ? static_cast<std::int32_t>(static_cast<std::uint32_t>(*value))
                                         : static_cast<std::int64_t>(*value));
}

// Two's complement of any length; addresses of a GPU take nine bytes where the topmost bit is one.
bool PickleReader::push_long()
{
    const auto count = little(1);
    const auto from = count ? take(static_cast<std::size_t>(*count)) : std::nullopt;
    if (!from)
    {
        return false;
    }
    if (from->size() > 9 || (from->size() == 9 && from->back() != 0))
    {
        return fail(fmt::format("a whole number takes {} bytes", from->size()));
    }
    const bool negative = !from->empty() && static_cast<unsigned char>(from->back()) >= 0x80;
    std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(from->size(), 8); ++i)
    {
        value &= ~(std::uint64_t{0xff} << (8 * i));
        value |= std::uint64_t{static_cast<unsigned char>((*from)[i])} << (8 * i);
    }
    return push_whole(static_cast<std::int64_t>(value));
}

bool PickleReader::push_real()
{
    const auto from = take(8);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; from && i < 8; ++i)
    {
        bits = bits << 8U | static_cast<unsigned char>((*from)[i]);
    }
    DataValue value;
    value.kind = Kind::real;
    value.real = std::bit_cast<double>(bits);
    return from && push(value);
}

bool PickleReader::push_text(std::size_t length_bytes)
{
    const auto length = little(length_bytes);
    const auto text = length ? take(static_cast<std::size_t>(*length)) : std::nullopt;
    DataValue value;
    value.kind = Kind::text;
    value.length = text ? static_cast<std::uint32_t>(text->size()) : 0;
    value.text = text ? text->data() : nullptr;
    return text && push(value);
}

bool PickleReader::push_empty(Kind kind)
{
    return tree_.lists() < kMostLists ? push(tree_.add(kind)) : fail("holds more than 8,000,000 lists");
}

bool PickleReader::append(const DataValue& target, std::size_t from, Kind kind)
{
    if (target.kind != kind || (kind == Kind::table && (stack_.size() - from) % 2 != 0))
    {
        return fail(kind == Kind::list ? "adds to what is no list" : "adds to what is no dict");
    }
    for (std::size_t i = from; i < stack_.size(); ++i)
    {
        tree_.append(target, stack_[i]);
    }
    const std::size_t added = stack_.size() - from;
    stack_.resize(from);
    return counts(added);
}

bool PickleReader::add_since_mark(Kind kind)
{
    const auto from = unmark();
    return from && (*from > 0 ? append(stack_[*from - 1], *from, kind) : fail("adds to nothing"));
}

bool PickleReader::add_last(std::size_t count, Kind kind)
{
    return stack_.size() > count ? append(stack_[stack_.size() - count - 1], stack_.size() - count, kind)
                                 : fail("adds to nothing");
}

bool PickleReader::collect(Kind kind)
{
    const auto from = unmark();
    if (!from || !push_empty(kind))
    {
        return false;
    }
    const DataValue made = stack_.back();
    stack_.pop_back();
    return append(made, *from, kind) && push(made);
}

bool PickleReader::collect_last(std::size_t count)
{
    if (stack_.size() < count)
    {
        return fail("takes more than there is");
    }
    marks_.push_back(stack_.size() - count);
    return collect(Kind::list);
}

bool PickleReader::put(std::optional<std::size_t> length_bytes)
{
    const auto number = length_bytes ? little(*length_bytes) : std::optional(std::uint64_t{memo_.size()});
    if (!number || stack_.empty())
    {
        return number && fail("remembers nothing");
    }
    // Every one that is remembered takes a byte at least, so larger numbers are none that Python gives.
    if (*number >= bytes_.size())
    {
        return fail(fmt::format("remembers under the number {}", *number));
    }
    if (*number >= memo_.size())
    {
        if (!counts(*number + 1 - memo_.size()))
        {
            return false;
        }
        memo_.resize(*number + 1);
    }
    memo_[*number] = stack_.back();
    return true;
}

bool PickleReader::get(std::size_t length_bytes)
{
    const auto number = little(length_bytes);
    if (number && *number >= memo_.size())
    {
        return fail(fmt::format("asks for number {}, which it has not remembered", *number));
    }
    return number && push(memo_[*number]);
}

struct Opcode
{
    unsigned char code;
    bool (*run)(PickleReader&);
};

constexpr std::array kOpcodes{
    Opcode{0x80, [](PickleReader& r) { return r.skip(1); }}, // PROTO
    Opcode{0x95, [](PickleReader& r) { return r.skip(8); }}, // FRAME
    Opcode{'N', [](PickleReader& r) { return r.push({}); }},
    Opcode{0x88, [](PickleReader& r) { return r.push_whole(1, Kind::boolean); }}, // NEWTRUE
    Opcode{0x89, [](PickleReader& r) { return r.push_whole(0, Kind::boolean); }}, // NEWFALSE
    Opcode{'J', [](PickleReader& r) { return r.push_little(4, true); }},          // BININT
    Opcode{'K', [](PickleReader& r) { return r.push_little(1, false); }},         // BININT1
    Opcode{'M', [](PickleReader& r) { return r.push_little(2, false); }},         // BININT2
    Opcode{0x8a, [](PickleReader& r) { return r.push_long(); }},                  // LONG1
    Opcode{'G', [](PickleReader& r) { return r.push_real(); }},                   // BINFLOAT
    Opcode{'X', [](PickleReader& r) { return r.push_text(4); }},                  // BINUNICODE
    Opcode{0x8c, [](PickleReader& r) { return r.push_text(1); }},                 // SHORT_BINUNICODE
    Opcode{'}', [](PickleReader& r) { return r.push_empty(Kind::table); }},
    Opcode{']', [](PickleReader& r) { return r.push_empty(Kind::list); }},
    Opcode{')', [](PickleReader& r) { return r.push_empty(Kind::list); }}, // EMPTY_TUPLE
    Opcode{'(', [](PickleReader& r) { return r.mark(); }},
    Opcode{'a', [](PickleReader& r) { return r.add_last(1, Kind::list); }},     // APPEND
    Opcode{'e', [](PickleReader& r) { return r.add_since_mark(Kind::list); }},  // APPENDS
    Opcode{'s', [](PickleReader& r) { return r.add_last(2, Kind::table); }},    // SETITEM
    Opcode{'u', [](PickleReader& r) { return r.add_since_mark(Kind::table); }}, // SETITEMS
    Opcode{'t', [](PickleReader& r) { return r.collect(Kind::list); }},         // TUPLE
    Opcode{'l', [](PickleReader& r) { return r.collect(Kind::list); }},         // LIST
    Opcode{'d', [](PickleReader& r) { return r.collect(Kind::table); }},        // DICT
    Opcode{0x85, [](PickleReader& r) { return r.collect_last(1); }},            // TUPLE1
    Opcode{0x86, [](PickleReader& r) { return r.collect_last(2); }},            // TUPLE2
    Opcode{0x87, [](PickleReader& r) { return r.collect_last(3); }},            // TUPLE3
    Opcode{0x94, [](PickleReader& r) { return r.put({}); }},                    // MEMOIZE
    Opcode{'q', [](PickleReader& r) { return r.put(1); }},                      // BINPUT
    Opcode{'r', [](PickleReader& r) { return r.put(4); }},                      // LONG_BINPUT
    Opcode{'h', [](PickleReader& r) { return r.get(1); }},                      // BINGET
    Opcode{'j', [](PickleReader& r) { return r.get(4); }},                      // LONG_BINGET
    Opcode{'.', [](PickleReader& r) { return r.stop(); }},
};

struct Refused
{
    unsigned char code;
    std::string_view name;
};
constexpr std::array kRefused{Refused{'c', "GLOBAL"},   Refused{0x93, "STACK_GLOBAL"}, Refused{'R', "REDUCE"},
                              Refused{'b', "BUILD"},    Refused{'i', "INST"},          Refused{'o', "OBJ"},
                              Refused{0x81, "NEWOBJ"},  Refused{0x92, "NEWOBJ_EX"},    Refused{0x82, "EXT1"},
                              Refused{0x83, "EXT2"},    Refused{0x84, "EXT4"},         Refused{'P', "PERSID"},
                              Refused{'Q', "BINPERSID"}};

constexpr auto kActions = []
{
    std::array<bool (*)(PickleReader&), 256> actions{};
    for (const Opcode& opcode : kOpcodes)
    {
        actions[opcode.code] = opcode.run;
    }
    return actions;
}();

Result<DataTree> PickleReader::read()
{
    const auto fault = [&](std::size_t place, std::string why)
    {
        return Issue{fmt::format("byte {}", place), std::move(why),
                     "give a snapshot as torch.cuda.memory._dump_snapshot() writes it, or a dump of the "
                     "flight recorder"};
    };
    while (!stopped_)
    {
        if (at_ >= bytes_.size())
        {
            return fault(at_, "the pickle is cut off");
        }
        const std::size_t place = at_++;
        const auto code = static_cast<unsigned char>(bytes_[place]);
        for (const Refused& refused : kRefused)
        {
            if (refused.code == code)
            {
                return fault(place, fmt::format("the pickle holds {}, which would run code: not opened",
                                                refused.name));
            }
        }
        if (kActions[code] == nullptr)
        {
            return fault(place, fmt::format("the pickle holds 0x{:02x}, no opcode of plain data", code));
        }
        if (!kActions[code](*this))
        {
            return fault(place, "the pickle " + why_);
        }
    }
    tree_.root = stack_.back();
    return std::move(tree_);
}

} // namespace

Result<DataTree> tree_of_pickle(std::string_view bytes)
{
    if (bytes.size() > kMostPickleBytes)
    {
        return Issue{"", fmt::format("the pickle has {} bytes", bytes.size()),
                     fmt::format("give one of at most {} bytes: record fewer events, "
                                 "_record_memory_history(max_entries=100000)",
                                 kMostPickleBytes)};
    }
    return PickleReader(bytes).read();
}

bool is_pickle(std::string_view bytes)
{
    return bytes.size() >= 4 && static_cast<unsigned char>(bytes[0]) == 0x80 && bytes[1] >= 2 &&
           bytes[1] <= 5;
}

} // namespace ringside
