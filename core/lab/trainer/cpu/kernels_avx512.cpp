// Compiled with -mavx512f, bw, dq and vl; only run where the processor has them all.
#if defined(__x86_64__)
#define RINGSIDE_TABLE kAvx512Kernels
#define RINGSIDE_LANES 16
#define RINGSIDE_ROWS 12
#define RINGSIDE_SET "AVX-512"
#include "core/lab/trainer/cpu/kernels/table.h"
#endif
