// Compiled with -mavx2 -mfma; only run where the processor has both.
#if defined(__x86_64__)
#define RINGSIDE_TABLE kAvx2Kernels
#define RINGSIDE_LANES 8
#define RINGSIDE_ROWS 6
#define RINGSIDE_SET "AVX2"
#include "core/lab/trainer/cpu/kernels/table.h"
#endif
