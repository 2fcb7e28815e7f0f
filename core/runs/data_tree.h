// What PyTorch's tools write of themselves, memory snapshots and dumps of the flight recorder, as plain data:
// from a pickle, of which only the opcodes of data are read and nothing is executed, or from JSON.
#pragma once

#include "core/base/json/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// A pickle larger than this is refused: read, it takes up to four times as much.
inline constexpr std::size_t kMostPickleBytes = 192U << 20U;

struct DataValue
{
    enum class Kind : std::uint8_t
    {
        none,
        boolean,
        whole,
        real,
        text,
        list, // or a tuple
        table // keys and values in turn
    };
    Kind kind = Kind::none;
    std::uint32_t length = 0; // of a text
    union
    {
        std::int64_t whole = 0;
        double real;
        const char* text;
        std::uint32_t items; // number of the list or table
    };
};

class DataTree
{
public:
    DataValue root;

    // Values that are something else give 0, nothing, no items.
    static std::int64_t whole(const DataValue& value, std::int64_t otherwise = 0);
    static std::string_view text(const DataValue& value);
    std::span<const DataValue> items(const DataValue& value) const; // of a list
    std::span<const DataValue> pairs(const DataValue& value) const; // of a table: keys and values in turn
    // What a table has under a key, among its last 64; none where it has nothing.
    DataValue find(const DataValue& table, std::string_view key) const;
    std::int64_t whole_at(const DataValue& table, std::string_view key, std::int64_t otherwise = 0) const
    {
        return whole(find(table, key), otherwise);
    }
    std::string_view text_at(const DataValue& table, std::string_view key) const
    {
        return text(find(table, key));
    }

    // For who builds one.
    DataValue add(DataValue::Kind kind); // an empty list or table
    void append(const DataValue& list, const DataValue& value)
    {
        lists_[list.items].push_back(value);
        ++values_;
    }
    DataValue own_text(std::string text);
    std::size_t lists() const { return lists_.size(); }
    // In all lists and tables. One list may be in many others, so who walks through a tree counts, too.
    std::size_t values() const { return values_; }

private:
    std::vector<std::vector<DataValue>> lists_;
    std::size_t values_ = 0;
    std::deque<std::string> texts_;
};

// Texts of the tree are those of the bytes, which must outlive it. Faults name the byte: an opcode that would
// run code, a length that goes beyond the end, a stack that is empty.
Result<DataTree> tree_of_pickle(std::string_view bytes);
DataTree tree_of_json(const nlohmann::json& document);
// A document as a pickle, by opcodes of plain data alone.
std::string pickle_of(const nlohmann::json& document);
// Whether the bytes begin as pickles of protocol 2 to 5 do.
bool is_pickle(std::string_view bytes);

} // namespace ringside
