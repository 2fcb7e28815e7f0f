#!/usr/bin/env bash
# The launch of the example: Llama 3.2 1B on 8 x H100
set -euo pipefail
options=(
    --tensor-model-parallel-size 1
    --pipeline-model-parallel-size 1
    --use-distributed-optimizer
    --overlap-grad-reduce
    --overlap-param-gather
    --micro-batch-size 2
    --global-batch-size 32
    --train-iters 1000
    --bf16
    --accumulate-allreduce-grads-in-fp32
    --optimizer adam
    --recompute-granularity selective
    --attention-backend flash
    --num-layers 16
    --hidden-size 2048
    --ffn-hidden-size 8192
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8
    --seq-length 8192
    --max-position-embeddings 8192
    --position-embedding-type rope
    --swiglu
    --normalization RMSNorm
    --disable-bias-linear
    --hidden-dropout 0.0
    --attention-dropout 0.0
    --mock-data
    --tokenizer-type NullTokenizer
    --vocab-size 128255
    --make-vocab-size-divisible-by 128256
    --lr 3.0e-4
    --min-lr 3.0e-5
    --lr-decay-style cosine
)
torchrun --standalone --nproc-per-node 8 pretrain_gpt.py "${options[@]}" "$@"
