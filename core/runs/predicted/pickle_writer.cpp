// A pickle of protocol 4 by the opcodes of plain data alone (CPython, Lib/pickletools.py), all of which
// PyTorch's own viewer reads (torch/utils/viz/MemoryViz.js).
#include "core/runs/data_tree.h"

#include <bit>

namespace ringside
{

namespace
{

class PickleWriter
{
public:
    std::string take(const nlohmann::json& document)
    {
        code(0x80); // PROTO
        code(4);
        write(document);
        code('.'); // STOP
        return std::move(out_);
    }

private:
    void code(unsigned char byte) { out_.push_back(static_cast<char>(byte)); }
    void little(std::uint64_t value, std::size_t bytes)
    {
        for (std::size_t i = 0; i < bytes; ++i)
        {
            code(static_cast<unsigned char>(value >> (8 * i)));
        }
    }

    void text(const std::string& value)
    {
        code('X'); // BINUNICODE
        little(value.size(), 4);
        out_ += value;
    }

    void whole(std::int64_t value)
    {
        if (value == static_cast<std::int32_t>(value))
        {
            code('J'); // BININT
            little(static_cast<std::uint64_t>(value), 4);
            return;
        }
        code(0x8a); // LONG1
        code(8);
        little(static_cast<std::uint64_t>(value), 8);
    }

    void real(double value)
    {
        code('G'); // BINFLOAT, the largest byte first
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (int shift = 56; shift >= 0; shift -= 8)
        {
            code(static_cast<unsigned char>(bits >> static_cast<unsigned>(shift)));
        }
    }

    void write(const nlohmann::json& value)
    {
        switch (value.type())
        {
        case nlohmann::json::value_t::object:
            code('}'); // EMPTY_DICT
            code('('); // MARK
            for (const auto& [key, item] : value.items())
            {
                text(key);
                write(item);
            }
            code('u'); // SETITEMS
            break;
        case nlohmann::json::value_t::array:
            code(']'); // EMPTY_LIST
            code('(');
            for (const auto& item : value)
            {
                write(item);
            }
            code('e'); // APPENDS
            break;
        case nlohmann::json::value_t::string:
            text(value.get_ref<const std::string&>());
            break;
        case nlohmann::json::value_t::boolean:
            code(value.get<bool>() ? 0x88 : 0x89); // NEWTRUE, NEWFALSE
            break;
        case nlohmann::json::value_t::number_integer:
        case nlohmann::json::value_t::number_unsigned:
            whole(value.get<std::int64_t>());
            break;
        case nlohmann::json::value_t::number_float:
            real(value.get<double>());
            break;
        default:
            code('N'); // NONE
        }
    }

    std::string out_;
};

} // namespace

std::string pickle_of(const nlohmann::json& document)
{
    return PickleWriter().take(document);
}

} // namespace ringside
