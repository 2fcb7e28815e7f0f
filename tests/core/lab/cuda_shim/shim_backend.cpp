// The CUDA backend itself, of which a program has one, compiled with the shim.
#include "tests/core/lab/cuda_shim/shim.h"

#include "core/lab/trainer/cuda/cuda_backend_ops.h"
