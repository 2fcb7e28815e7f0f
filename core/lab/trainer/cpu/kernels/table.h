// The table of one instruction set's kernels. Included once by each of the sources that are compiled for one;
// RINGSIDE_TABLE, RINGSIDE_LANES, RINGSIDE_ROWS and RINGSIDE_SET say which.
#pragma once

#include "core/lab/trainer/cpu/kernels/attention.h"
#include "core/lab/trainer/cpu/kernels/attention_hop.h"
#include "core/lab/trainer/cpu/kernels/experts.h"
#include "core/lab/trainer/cpu/kernels/product.h"
#include "core/lab/trainer/cpu/kernels/rows.h"
#include "core/lab/trainer/cpu/kernels/update.h"

namespace ringside::trainer::cpu
{

extern const Kernels RINGSIDE_TABLE;
const Kernels RINGSIDE_TABLE{.name = RINGSIDE_SET,
                             .tile_rows = kRows,
                             .tile_cols = kCols,
                             .product_scratch = kProductScratch,
                             .product = product,
                             .embed = embed,
                             .embed_backward = embed_backward,
                             .norm = norm,
                             .norm_backward = norm_backward,
                             .norm_parameters = norm_parameters,
                             .rope = rope,
                             .attention = attention,
                             .attention_backward = attention_backward,
                             .attention_hop = attention_hop,
                             .attention_hop_backward = attention_hop_backward,
                             .activation = activation,
                             .activation_backward = activation_backward,
                             .route = route,
                             .route_backward = route_backward,
                             .dispatch = dispatch,
                             .combine = combine,
                             .cross_entropy = cross_entropy,
                             .logit_statistics = logit_statistics,
                             .add = add,
                             .sum_rows = sum_rows,
                             .convert = convert,
                             .update = update,
                             .sum_of_squares = sum_of_squares,
                             .count_exponents = count_exponents};

} // namespace ringside::trainer::cpu
