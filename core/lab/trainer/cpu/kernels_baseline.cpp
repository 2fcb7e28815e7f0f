// For any processor the compiler was asked for: SSE2 on x86-64, NEON on aarch64.
#define RINGSIDE_TABLE kBaselineKernels
#define RINGSIDE_LANES 4
#if defined(__aarch64__)
#define RINGSIDE_ROWS 8
#define RINGSIDE_SET "NEON"
#elif defined(__x86_64__)
#define RINGSIDE_ROWS 4
#define RINGSIDE_SET "SSE2"
#else
#define RINGSIDE_ROWS 4
#define RINGSIDE_SET "plain"
#endif
#include "core/lab/trainer/cpu/kernels/table.h"
