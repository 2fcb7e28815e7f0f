#!/bin/bash
#SBATCH --nodes=48          # comments may follow
#SBATCH --gres=gpu:8
#SBATCH --ntasks-per-node=1
# Arguments are NAME=VALUE and become variables; nothing of it is executed.
for PAIR in "$@"; do
    NAME=$(echo $PAIR | cut -f1 -d=)
    LENGTH=${#NAME}
    export "$NAME"="${PAIR:$LENGTH+1}"
done
: "${SIZE:=8}"
TP=${TP:-2}
HOSTS=`hostname`
if [ "$SIZE" -eq 70 ]; then
    LAYERS=80; HIDDEN=8192
elif [[ $SIZE -eq 8 ]]; then
    LAYERS=32
    HIDDEN=4096 # of the smaller one
else
    echo "no such size"; exit 1
fi
GROUPS_OF=$(( HIDDEN / 128 / 4 ))
while [[ $# -gt 0 ]]; do
    case $1 in
        BATCH=*) shift ;;
        *) shift ;;
    esac
done
MODEL=(
    --num-layers $LAYERS
    # --num-layers 99
    --hidden-size ${HIDDEN}
    "--num-attention-heads" $((HIDDEN / 128))
    --group-query-attention --num-query-groups $GROUPS_OF
)
MODEL+=(--seq-length 4096 --fp8-format=hybrid)
OPTIONS="
    --tensor-model-parallel-size ${TP} \
    --pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 4 \
    --sequence-parallel --bf16 --swiglu \
"
if [ "${FAST:-0}" -eq 1 ]; then OPTIONS="$OPTIONS --fp16"; fi
[ -n "$EXTRA" ] && OPTIONS="$OPTIONS $EXTRA"
CALL="torchrun --nproc_per_node 8 --nnodes $SLURM_NNODES pretrain_gpt.py ${MODEL[@]} $OPTIONS --micro-batch-size 1 --global-batch-size ${BATCH:-384}"
eval $CALL
