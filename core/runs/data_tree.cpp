#include "core/runs/data_tree.h"

namespace ringside
{

namespace
{

constexpr int kDeepestJson = 64;

DataValue value_of_json(DataTree& tree, const nlohmann::json& from, int depth)
{
    DataValue value;
    if (from.is_boolean())
    {
        value.kind = DataValue::Kind::boolean;
        value.whole = from.get<bool>() ? 1 : 0;
    }
    else if (from.is_number_integer())
    {
        value.kind = DataValue::Kind::whole;
        value.whole = from.get<std::int64_t>();
    }
    else if (from.is_number())
    {
        value.kind = DataValue::Kind::real;
        value.real = from.get<double>();
    }
    else if (from.is_string())
    {
        value = tree.own_text(from.get<std::string>());
    }
    else if (from.is_structured() && depth < kDeepestJson)
    {
        value = tree.add(from.is_array() ? DataValue::Kind::list : DataValue::Kind::table);
        for (const auto& [key, item] : from.items())
        {
            if (from.is_object())
            {
                tree.append(value, tree.own_text(key));
            }
            tree.append(value, value_of_json(tree, item, depth + 1));
        }
    }
    return value;
}

} // namespace

std::int64_t DataTree::whole(const DataValue& value, std::int64_t otherwise)
{
    const bool is = value.kind == DataValue::Kind::whole || value.kind == DataValue::Kind::boolean;
    return is ? value.whole : otherwise;
}

std::string_view DataTree::text(const DataValue& value)
{
    return value.kind == DataValue::Kind::text ? std::string_view(value.text, value.length)
                                               : std::string_view();
}

std::span<const DataValue> DataTree::items(const DataValue& value) const
{
    return value.kind == DataValue::Kind::list ? std::span(lists_[value.items])
                                               : std::span<const DataValue>();
}

std::span<const DataValue> DataTree::pairs(const DataValue& value) const
{
    return value.kind == DataValue::Kind::table ? std::span(lists_[value.items])
                                                : std::span<const DataValue>();
}

DataValue DataTree::find(const DataValue& table, std::string_view key) const
{
    const auto all = pairs(table);
    const std::size_t first = all.size() > 128 ? all.size() - 128 : 0;
    for (std::size_t i = all.size(); i >= first + 2; i -= 2) // of a key given twice the last counts
    {
        if (text(all[i - 2]) == key && all[i - 2].kind == DataValue::Kind::text)
        {
            return all[i - 1];
        }
    }
    return {};
}

DataValue DataTree::add(DataValue::Kind kind)
{
    DataValue value;
    value.kind = kind;
    value.items = static_cast<std::uint32_t>(lists_.size());
    lists_.emplace_back();
    return value;
}

DataValue DataTree::own_text(std::string text)
{
    const std::string& kept = texts_.emplace_back(std::move(text));
    DataValue value;
    value.kind = DataValue::Kind::text;
    value.length = static_cast<std::uint32_t>(kept.size());
    value.text = kept.data();
    return value;
}

DataTree tree_of_json(const nlohmann::json& document)
{
    DataTree tree;
    tree.root = value_of_json(tree, document, 0);
    return tree;
}

} // namespace ringside
