// Rounds to the values a narrow floating-point format has, to nearest with ties to even. Nothing is packed:
// the result is the float that the narrow format stands for.
#pragma once

namespace ringside
{

// IEEE 754 binary16: 11 significant bits, subnormals down to 2^-24, infinite from 65520 on.
float round_to_fp16(float value);
// The upper half of a float: 8 significant bits, the range of a float.
float round_to_bf16(float value);
// OCP 8-bit E4M3 (Micikevicius et al. 2022, arXiv 2209.05433, Table 1): 4 significant bits, subnormals down
// to 2^-9, no infinity; what is larger than 448 becomes 448.
float round_to_e4m3(float value);

inline constexpr float kLargestE4m3 = 448;

} // namespace ringside
