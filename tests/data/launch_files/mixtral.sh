#!/bin/bash
# One command and nothing around it.
torchrun --nproc-per-node 8 --nnodes 4 pretrain_gpt.py \
    --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 \
    --group-query-attention --num-query-groups 8 --num-experts 8 --moe-router-topk 2 \
    --seq-length 4096 --micro-batch-size 1 --global-batch-size 256 \
    --tensor-model-parallel-size 1 --pipeline-model-parallel-size 4 --expert-model-parallel-size 8 \
    --use-distributed-optimizer --bf16 --swiglu --untie-embeddings-and-output-weights \
    --disable-bias-linear --normalization RMSNorm --position-embedding-type rope \
    --hidden-dropout 0 --attention-dropout 0 --tokenizer-type NullTokenizer --vocab-size 32000
