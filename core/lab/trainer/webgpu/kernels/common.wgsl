// Stands before every kernel, and behind it by_memory.wgsl or by_subgroups.wgsl. A line `const name = value;` may be filled
// in with another value before a kernel is compiled: shapes that registers and tiles are made of. Numbers are read and
// written by x_at(i) and set_x(i, value), which the player writes for each `x: array<f32>` in the format it is stored in:
// 16 bits are half of a word, whose other half may be another thread's, or an f16 where the card has them. Sums are f32 in
// every format, since a product of two f16 has 22 bits; tiles keep what they were read as (`// in the format of x`). A line
// that ends in `// subgroups` is there only where a kernel is asked for with subgroups=1, one that ends in
// `// no subgroups` only where it is not.
const threads = 64u; // of a workgroup that works on one row

// IEEE 754 binary16, the nearest, of two the even one: pack2x16float() may round otherwise, and leaves open what is
// too large. 65520 and more is infinite, below 2^-14 steps are 2^-24.
fn to_f16(value: f32) -> u32 {
    let bits = bitcast<u32>(value);
    let size = bits & 0x7FFFFFFFu;
    var code = (size - 0x38000000u + 0xFFFu + ((size >> 13u) & 1u)) >> 13u;
    if (size >= 0x477FF000u) {
        code = select(0x7C00u, 0x7E00u, size > 0x7F800000u);
    } else if (size < 0x38800000u) {
        code = u32(round(abs(value) * 16777216.0));
    }
    return ((bits >> 16u) & 0x8000u) | code;
}
fn from_f16(code: u32) -> f32 {
    return unpack2x16float(code).x;
}

// The upper half of a float, rounded likewise.
fn to_bf16(value: f32) -> u32 {
    let bits = bitcast<u32>(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) {
        return (bits >> 16u) | 0x40u;
    }
    return (bits + 0x7FFFu + ((bits >> 16u) & 1u)) >> 16u;
}
fn from_bf16(code: u32) -> f32 {
    return bitcast<f32>(code << 16u);
}
