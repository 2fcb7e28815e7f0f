#!/bin/sh
# Prints how far computed step times are off: the fit of every calibrated accelerator, then every row. Run it in the
# source folder with the program to ask as its argument: docs/accuracy.sh build/release/ringside > build/accuracy.md
set -e
ringside=${1:-build/release/ringside}
data=tests/data/step
structural=gemm_efficiency,attention_efficiency,hbm_efficiency

echo '# Step times, fitted and computed'
echo
echo '## Fit: A100'
echo
"$ringside" calibrate --leave-out --markdown \
    --constants gemm_efficiency,host_kernel_us,link_efficiency,network_efficiency \
    $data/a100-single-node.json $data/a100-multi-node.json $data/korthikanti-table-5.json \
    $data/narayanan-table-1.json $data/megascale-megatron.json $data/narayanan-table-2-mt-nlg.json
echo
echo 'Flash attention and what gathering costs, with all else kept:'
echo
"$ringside" calibrate --leave-out --markdown --constants attention_efficiency,gather_slowdown \
    $data/llm-foundry-a100-80gb.json $data/llm-foundry-a100-40gb.json
echo
echo '## Fit: H100'
echo
"$ringside" calibrate --leave-out --markdown --constants $structural,gather_slowdown \
    assets/measured/llm-foundry-h100.json $data/llm-foundry-h100-fp8.json $data/nemo-h100-fp8.json \
    $data/megatron-lm-h100.json
echo
echo '## Fit: B200'
echo
"$ringside" calibrate --leave-out --markdown --constants $structural $data/simumax-b200.json
echo
echo '# Rows that were fitted'
"$ringside" validate --markdown $data/a100-single-node.json $data/a100-multi-node.json \
    $data/korthikanti-table-5.json $data/narayanan-table-1.json $data/megascale-megatron.json \
    assets/measured/llm-foundry-h100.json $data/simumax-b200.json
echo
echo '# Rows that were not'
echo
echo 'Of the llm-foundry rows on A100 only attention and gathering are fitted.'
"$ringside" validate --markdown $data/llm-foundry-a100-80gb.json $data/llm-foundry-a100-40gb.json \
    $data/narayanan-table-2-mt-nlg.json $data/llm-foundry-h100-fp8.json $data/nemo-h100-fp8.json \
    $data/megatron-lm-h100.json
