#!/bin/sh
# What a CUDA card is needed for: checks the trainer's kernels on it and measures them. Run it in the source folder
# with the folder of a build that has them, and with that of llm.c, built by `make train_gpt2cu USE_CUDNN=1` and with
# its tinyshakespeare data, to train beside it: docs/gpu.sh build/release ../llm.c > build/gpu.txt
set -e
build=${1:-build/release}
tests=$build/tests/gpu/gpu_tests
step='a step on the device*'

nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,memory.total --format=csv
echo
echo '# Kernels against the processor'
"$tests"
for tool in memcheck synccheck; do
    echo "# $tool"
    compute-sanitizer --tool $tool --error-exitcode 1 "$tests" "$step"
done
# These two do not see what cuBLASLt stores through the copy engine.
for tool in racecheck initcheck; do
    echo "# $tool"
    compute-sanitizer --tool $tool --error-exitcode 1 "$tests" "$step" -c 'own products'
done

# Tokens/s, MFU of the card's own large product, share by kernel, and the step as it was predicted; twice, so that the
# noise is seen, with the other program in between.
echo
echo '# The lab'
"$build/ringside" bench train
if [ -n "$2" ]; then
    llmc='./train_gpt2cu -e d12 -b 8 -t 1024 -v 1000 -s 1000'
    echo
    echo '# llm.c, 12 layers of width 768, 8 x 1,024 tokens in bf16'
    (cd "$2" && $llmc -x 40)
    if command -v nsys > /dev/null; then
        # Its attention is cuDNN's: what to hold the lab's attention against, by kernel and with the same 40 steps.
        echo '# Its kernels'
        (cd "$2" && nsys profile -o /tmp/llmc --force-overwrite true --stats true $llmc -x 40 | grep -A 25 'cuda_gpu_kern_sum')
    fi
    echo
    echo '# The lab again'
    "$build/ringside" bench train
fi
