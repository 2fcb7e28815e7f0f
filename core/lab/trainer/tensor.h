// What backends compute on: matrices in a device's memory, in the formats training uses. Views only; memory
// belongs to the arena.
#pragma once

#include <cstdint>

namespace ringside::trainer
{

using Index = std::int64_t;

enum class DType : std::uint8_t
{
    f32,
    bf16, // the upper half of a float
    f16,  // IEEE 754 binary16
    e4m3, // OCP 8-bit, largest value 448 (Micikevicius et al., arXiv 2209.05433); each row has a scale
    e5m2  // OCP 8-bit, largest value 57344; each row has a scale
};

constexpr Index bytes_of(DType type)
{
    return type == DType::f32 ? 4 : type == DType::bf16 || type == DType::f16 ? 2 : 1;
}
constexpr bool has_scales(DType type)
{
    return type == DType::e4m3 || type == DType::e5m2;
}

// rows x cols, row after row. A vector is one row.
struct Tensor
{
    void* data = nullptr;
    DType type = DType::f32;
    Index rows = 0;
    Index cols = 0;
    Index stride = 0;        // elements from one row to the next
    float* scales = nullptr; // [rows] of 8-bit formats: value = code x scale

    explicit operator bool() const { return data != nullptr; }
    Index elements() const { return rows * cols; }

    void* at(Index row, Index col = 0) const
    {
        return static_cast<char*>(data) + (row * stride + col) * bytes_of(type);
    }
    Tensor columns(Index first, Index count) const
    {
        Tensor part = *this;
        part.data = at(0, first);
        part.cols = count;
        return part;
    }
    Tensor row_range(Index first, Index count) const
    {
        Tensor part = *this;
        part.data = at(first);
        part.rows = count;
        part.scales = scales ? scales + first : nullptr;
        return part;
    }
};

inline Tensor tensor(void* data, DType type, Index rows, Index cols, float* scales = nullptr)
{
    return {data, type, rows, cols, cols, scales};
}

} // namespace ringside::trainer
