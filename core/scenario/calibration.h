// What kernels, links and host reach of an accelerator's data sheet: the constants of the step-time model
// (core/performance/step_model), the same for every scenario on that accelerator. Those of a preset come with
// their sources; where nobody has measured, the defaults stand, which are the H100's.
#pragma once

namespace ringside
{

struct Calibration
{
    double multiprocessors = 132;       // that share the tiles of a matrix product; data sheet
    double gemm_efficiency = 0.70;      // share of the dense peak inside full waves of tiles
    double attention_efficiency = 0.18; // share of the dense peak that flash attention reaches
    double hbm_efficiency = 0.52;       // share of the memory bandwidth that element-wise kernels reach
    double kernel_us = 1.5;             // [us] start and end of one kernel on the device
    double host_kernel_us = 23.8;       // [us] the framework takes to launch one kernel; CUDA graphs: 0
    double link_efficiency = 0.73;      // share of the node's link that a ring reaches
    double network_efficiency = 0.85;   // share of the network's link that a ring reaches
    double collective_us = 8.4;         // [us] of a collective before the first byte
    double hop_us = 3.4;                // [us] of one step of a ring inside a node
    double network_hop_us = 14;         // [us] of one step between nodes
    double data_overlap = 1;            // fraction of the backward that gradient traffic can overlap with
    double overlap_slowdown = 0.1;      // compute lost per overlapped gradient traffic
    // The newest attention kernels, by length of the sequence s: peak s / (s + half).
    double attention_peak =
        0; // share of the dense peak that long sequences' forward reaches; 0: not measured
    double attention_half = 0; // [tokens] where half of that is reached
    double flash2_peak = 0;    // the same of FlashAttention-2; 0: not measured, so attention_efficiency
    double flash2_half = 0;    // [tokens]
    double block_scaled = 1;   // of 8-bit products' rate, what those with a scale for every 32 elements reach
    double fp4_products =
        2;              // times 8-bit products' rate, what 4-bit ones reach, whatever the data sheet says
    double rated_w = 0; // [W] of the board that reached all this; 0: not known
    double gather_slowdown = 1; // the same of ZeRO-3's layer-wise traffic; 1: hiding it brings nothing

    bool operator==(const Calibration&) const = default;
};

} // namespace ringside
