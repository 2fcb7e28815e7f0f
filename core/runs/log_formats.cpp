// How frameworks print a step. A new one is a row at the bottom and its fields; order is preference where a
// file has lines of two.
#include "core/runs/log.h"

namespace ringside
{

namespace
{

constexpr double kMilli = 1e-3;
constexpr double kPercent = 1e-2;
constexpr double kMebi = 1048576.0;
constexpr double kGibi = 1073741824.0;

constexpr std::array kMegatron{
    LogField{LogValue::seconds, "elapsed time per iteration (ms)", kMilli},
    LogField{LogValue::seconds, "elapsed time per iteration ms", kMilli},
    LogField{LogValue::seconds, "step time"}, // Megatron-Bridge, which calls TFLOP/s its utilization
    LogField{LogValue::tflops, "throughput per gpu (tflop/s/gpu)"},
    LogField{LogValue::tflops, "compute per gpu (tflop/s/gpu)"}, // Primus 26.5
    LogField{LogValue::tflops, "gpu utilization"},
    LogField{LogValue::tflops, "tflop/s/gpu"},
    LogField{LogValue::tflops, "tflops"},
    LogField{LogValue::tokens_per_second_gpu, "tokens per gpu (tokens/s/gpu)"},
    LogField{LogValue::tokens_per_second_gpu, "tokens/s/gpu inst/harmonic mean"},
    LogField{LogValue::tokens_per_second_gpu, "tokens per gpu per second tgs"},
    LogField{LogValue::samples_per_second, "samples per second"},
    LogField{LogValue::loss, "lm loss"},
    LogField{LogValue::grad_norm, "grad norm"},
    LogField{LogValue::batch, "global batch size"},
    LogField{LogValue::skipped, "number of skipped iterations"},
    LogField{LogValue::nan, "number of nan iterations"},
    LogField{LogValue::memory, "hip mem usage/free/total/usage ratio", kGibi},
    LogField{LogValue::allocated, "max allocated", kMebi},
    LogField{LogValue::reserved, "max reserved", kMebi},
    LogField{LogValue::allocated, "mem-max-allocated-gigabytes", 1e9},
    LogField{LogValue::reserved, "mem-max-reserved-gigabytes", 1e9},
};
constexpr std::array kBridge{
    LogField{LogValue::seconds, "step time"},
    LogField{LogValue::tflops, "gpu utilization"},
    LogField{LogValue::tflops, "model tflop/s/gpu"},
};
constexpr std::array kTitan{
    LogField{LogValue::loss, "loss"},
    LogField{LogValue::loss, "global avg loss"},
    LogField{LogValue::grad_norm, "grad norm"},
    LogField{LogValue::reserved, "memory", kGibi},
    LogField{LogValue::tokens_per_second_gpu, "tps"},
    LogField{LogValue::tokens_per_second_gpu, "wps"}, // until 2025
    LogField{LogValue::tflops, "tflops"},
    LogField{LogValue::mfu, "mfu", kPercent},
};
constexpr std::array kTitanJson{
    LogField{LogValue::loss, "loss metrics/global avg loss"},
    LogField{LogValue::grad_norm, "grad norm"},
    LogField{LogValue::tokens_per_second_gpu, "throughput(tps)"},
    LogField{LogValue::tflops, "tflops"},
    LogField{LogValue::mfu, "mfu(%)", kPercent},
    LogField{LogValue::seconds, "time metrics/end to end(s)"},
    LogField{LogValue::reserved, "memory/max reserved(gib)", kGibi},
    LogField{LogValue::allocated, "memory/max active(gib)", kGibi},
};
constexpr std::array kDeepSpeed{
    LogField{LogValue::samples_per_second, "currsamplespersec"},
    LogField{LogValue::allocated, "maxmemallocated", kGibi},
    LogField{LogValue::skipped_in_all, "skipped"},
    LogField{LogValue::loss, "loss"},
};
constexpr std::array kNemo{
    LogField{LogValue::seconds, "train step timing in s"},
    LogField{LogValue::loss, "reduced train loss"},
    LogField{LogValue::grad_norm, "grad norm"},
    LogField{LogValue::batch, "global batch size"},
    LogField{LogValue::tflops, "tflops per gpu"},
};
constexpr std::array kMlperf{
    LogField{LogValue::seconds, "train step timing"},
    LogField{LogValue::loss, "reduced train loss"},
    LogField{LogValue::loss, "train loss"},
};
constexpr std::array kTrainer{
    LogField{LogValue::loss, "loss"},
    LogField{LogValue::grad_norm, "grad norm"},
    LogField{LogValue::tokens, "num input tokens seen"},
    LogField{LogValue::clock, "train runtime"},
};
constexpr std::array kNanotron{
    LogField{LogValue::seconds, "elapsed time per iteration ms", kMilli},
    LogField{LogValue::tokens_per_second, "tokens per sec"},
    LogField{LogValue::tokens_per_second_gpu, "tokens per sec per gpu"},
    LogField{LogValue::batch, "global batch size"},
    LogField{LogValue::loss, "lm loss"},
    LogField{LogValue::tflops, "model tflops per gpu"},
    LogField{LogValue::grad_norm, "grad norm"},
    LogField{LogValue::reserved, "cuda max memory reserved"},
};
constexpr std::array kMaxText{
    LogField{LogValue::seconds, "seconds"},
    LogField{LogValue::tflops, "tflop/s/device"},
    LogField{LogValue::tokens_per_second_gpu, "tokens/s/device"},
    LogField{LogValue::loss, "loss"},
};
constexpr std::array kLlmc{
    LogField{LogValue::loss, "loss"},
    LogField{LogValue::grad_norm, "norm"},
    LogField{LogValue::seconds, " ms |", kMilli, true},
    LogField{LogValue::mfu, "% bf16 mfu", kPercent, true},
    LogField{LogValue::mfu, "% fp32 mfu", kPercent, true},
    LogField{LogValue::tokens_per_second, " tok/s", 1, true},
};
constexpr std::array kLlmcFile{
    LogField{LogValue::loss, "trl"},
    LogField{LogValue::grad_norm, "norm"},
};
constexpr std::array kNanoGpt{
    LogField{LogValue::loss, "loss"},
    LogField{LogValue::seconds, "time", kMilli},
    LogField{LogValue::mfu, "mfu", kPercent},
};
constexpr std::array kModded{
    LogField{LogValue::loss, "train loss"},
    LogField{LogValue::timer, "train time", kMilli},
};
constexpr std::array kNanochat{
    LogField{LogValue::loss, "loss"},          LogField{LogValue::grad_norm, "grad norm"},
    LogField{LogValue::seconds, "dt", kMilli}, LogField{LogValue::tokens_per_second, "tok/sec"},
    LogField{LogValue::mfu, "mfu", kPercent},  LogField{LogValue::mfu, "bf16 mfu", kPercent},
};
constexpr std::array kOlmo{
    LogField{LogValue::loss, "train/ce loss"},
    LogField{LogValue::grad_norm, "optim/total grad norm"},
    LogField{LogValue::tokens_per_second_gpu, "throughput/device/tps"},
    LogField{LogValue::mfu, "throughput/device/mfu", kPercent},
    LogField{LogValue::tflops, "throughput/device/tflops per gpu"},
    LogField{LogValue::skipped, "optim/step skipped"},
    LogField{LogValue::allocated, "gpu memory/gpu active mem (gib)", kGibi},
    LogField{LogValue::reserved, "gpu memory/gpu reserved mem (gib)", kGibi},
};
constexpr std::array kOwn{
    LogField{LogValue::loss, "\"loss\""},        LogField{LogValue::grad_norm, "gradient norm"},
    LogField{LogValue::seconds, "step s"},       LogField{LogValue::tokens_per_second, "tokens per s"},
    LogField{LogValue::allocated, "peak bytes"}, // of the rank that has most
};
constexpr std::array kBar{
    LogField{LogValue::loss, "loss"},
    LogField{LogValue::seconds_per_steps, "s/it", 1, true},
    LogField{LogValue::steps_per_second, "it/s", 1, true},
};

constexpr std::array kFormats{
    LogFormat{"megatron-deepspeed",
              "Megatron-DeepSpeed",
              {"iteration", "elapsed time per iteration ms"},
              kMegatron,
              "microsoft/Megatron-DeepSpeed megatron/training.py, training_log",
              false,
              "tokens per sec"},
    LogFormat{"primus",
              "Primus",
              {"iteration", "tokens per gpu (tokens/s/gpu)"},
              kMegatron,
              "AMD-AGI/Primus primus/modules/trainer/megatron/trainer.py, training_log",
              false,
              {}},
    LogFormat{"primus",
              "Primus",
              {"iteration", "inst/harmonic mean"},
              kMegatron,
              "AMD-AGI/Primus primus/modules/trainer/megatron/trainer.py, training_log",
              false,
              {}},
    LogFormat{"megatron-bridge",
              "Megatron-Bridge",
              {"iteration", "mem-max-allocated-gigabytes"},
              kMegatron,
              "NVIDIA-NeMo/Megatron-Bridge src/megatron/bridge/training/utils/train_utils.py",
              false,
              {}},
    LogFormat{"megatron",
              "Megatron-LM",
              {"iteration", "elapsed time per iteration (ms)"},
              kMegatron,
              "NVIDIA/Megatron-LM megatron/training/training.py, training_log",
              false,
              {}},
    LogFormat{"megatron-bridge",
              "Megatron-Bridge",
              {"step time", "gpu utilization"},
              kBridge,
              "NVIDIA-NeMo/Megatron-Bridge src/megatron/bridge/training/utils/train_utils.py",
              false,
              {},
              false},
    LogFormat{"megatron-bridge",
              "Megatron-Bridge",
              {"step time", "model tflop/s/gpu"},
              kBridge,
              "NVIDIA-NeMo/Megatron-Bridge src/megatron/bridge/training/utils/train_utils.py",
              false,
              {},
              false},
    LogFormat{"nanotron",
              "nanotron",
              {"iteration", "tokens per sec"},
              kNanotron,
              "huggingface/nanotron src/nanotron/trainer.py, train_step_logs",
              false,
              {}},
    LogFormat{"torchtitan",
              "torchtitan",
              {"step", "tps"},
              kTitan,
              "pytorch/torchtitan torchtitan/components/metrics.py, log",
              true,
              "loss metrics/"},
    LogFormat{"torchtitan",
              "torchtitan",
              {"step", "wps"},
              kTitan,
              "pytorch/torchtitan torchtitan/components/metrics.py, log",
              true,
              "loss metrics/"},
    LogFormat{"torchtitan",
              "torchtitan",
              {"step", "loss metrics/"},
              kTitanJson,
              "pytorch/torchtitan torchtitan/components/metrics.py, log",
              true,
              {}},
    LogFormat{"nemo",
              "NeMo",
              {"global step", "train step timing in s"},
              kNemo,
              "NVIDIA/NeMo nemo/lightning/pytorch/callbacks/progress_printer.py",
              false,
              {}},
    LogFormat{"mlperf",
              "MLPerf lines",
              {"\"step\"", "train step timing"},
              kMlperf,
              "mlcommons/logging mlperf_logging/mllog",
              false,
              {},
              false},
    LogFormat{"deepspeed",
              "DeepSpeed",
              {"global step", "currsamplespersec"},
              kDeepSpeed,
              "deepspeedai/DeepSpeed deepspeed/utils/timer.py, ThroughputTimer",
              true,
              {}},
    LogFormat{"maxtext",
              "MaxText",
              {"completed step", "tflop/s/device"},
              kMaxText,
              "AI-Hypercomputer/maxtext src/MaxText/metric_logger.py",
              false,
              {}},
    LogFormat{"nanochat",
              "nanochat",
              {"step", "tok/sec"},
              kNanochat,
              "karpathy/nanochat scripts/base_train.py",
              false,
              {}},
    LogFormat{"llm.c", "llm.c", {"step", " tok/s"}, kLlmc, "karpathy/llm.c train_gpt2.cu", false, {}},
    LogFormat{"llm.c", "llm.c (file)", {"s", "trl:"}, kLlmcFile, "karpathy/llm.c llmc/logger.h", false, {}},
    LogFormat{"modded-nanogpt",
              "modded-nanogpt",
              {"step", "train time:"},
              kModded,
              "KellerJordan/modded-nanogpt train_gpt.py",
              false,
              "val loss"},
    LogFormat{"nanogpt", "nanoGPT", {"iter", "loss"}, kNanoGpt, "karpathy/nanoGPT train.py", false, {}},
    LogFormat{"ringside",
              "Ringside",
              {"\"step\"", "\"tokens per s\""},
              kOwn,
              "ringside train --json-lines, ringside-rank --json-lines",
              false,
              {}},
    LogFormat{"olmo-core",
              "OLMo-core",
              {"[step", "epoch"},
              kOlmo,
              "allenai/OLMo-core src/olmo_core/train/callbacks/console_logger.py",
              true,
              {},
              true,
              true},
    LogFormat{"hf-trainer",
              "Hugging Face Trainer",
              {"'loss'", "'learning rate'"},
              kTrainer,
              "huggingface/transformers src/transformers/trainer.py, log",
              false,
              {},
              false},
    LogFormat{"torchtune",
              "torchtune",
              {"|", "|loss:"},
              kBar,
              "pytorch/torchtune recipes/full_finetune_distributed.py",
              false,
              {}},
};

} // namespace

std::span<const LogFormat> log_formats()
{
    return kFormats;
}

} // namespace ringside
