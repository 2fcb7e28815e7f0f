#include "ui/shell/palette/synonyms.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

struct Synonyms
{
    std::string_view what;
    std::string_view words; // names between semicolons
};

constexpr std::array kViews{
    Synonyms{"overview", "start page; home; whole step; training step; forward backward update; animation"},
    Synonyms{"memory", "what fits; fit; does it fit; out of memory; run out of memory; oom; cuda oom; vram; "
                       "gpu memory; memory usage;memory calculator; memory estimate; estimator; bytes per "
                       "parameter; peak memory; levers; save memory;reduce memory; stages"},
    Synonyms{"zero", "fsdp; fully sharded data parallel; sharding; deepspeed zero; optimizer state sharding; "
                     "shard;distributed optimizer; data parallel; data parallelism; zero stage 3"},
    Synonyms{"activations", "activation memory; flash attention; flashattention; selective recomputation "
                            "tensors;sequence parallel; sequence parallelism; saved tensors"},
    Synonyms{"recompute", "gradient checkpointing; activation checkpointing; checkpointing activations; "
                          "rematerialization;remat; selective; sublinear memory"},
    Synonyms{"offload", "cpu offload; cpu offloading; nvme; zero offload; zero infinity; host memory; pcie; "
                        "offloading; swap"},
    Synonyms{
        "context-length",
        "sequence length; long context; quadratic attention; attention cost; million tokens; context window"},
    Synonyms{"pipelines",
             "pipeline parallel; pipeline parallelism; pp; bubble; zero bubble; zb; zbh1; zbv; dualpipe; "
             "dual pipe;1f1b; one forward one backward; gpipe; interleaved; virtual stages; vpp; schedule; "
             "idle time;deepseek schedule; trace; perfetto; export trace; chimera"},
    Synonyms{"frontier", "pareto; compare schedules; best schedule; trade off; tradeoff; schedule search"},
    Synonyms{"zoo", "all reduce; all gather; reduce scatter; all to all; alltoall; broadcast; scatter; "
                    "gather; mpi; nccl operations;what does all reduce do; collective operations"},
    Synonyms{"ring", "ring all reduce; ring algorithm; tree; double binary tree; recursive halving; "
                     "doubling; nccl; nccl algorithm;hierarchical all reduce; 2d torus"},
    Synonyms{"message", "latency vs bandwidth; bus bandwidth; busbw; algbw; nccl tests; alpha beta; alpha "
                        "beta model; message sizes;sharp; nvls; in network reduction; infiniband; nvlink"},
    Synonyms{"step", "overlap; communication overlap; exposed communication; ddp; hsdp; prefetch; bucket; "
                     "gradient bucketing;hide communication; compute communication overlap; no sync"},
    Synonyms{"compression", "compress gradients; powersgd; top k; topk; sign sgd; 1 bit adam; error "
                            "feedback; sparsification; quantize gradients"},
    Synonyms{"tensor", "tensor parallel; tensor parallelism; tp; megatron; column parallel; row parallel; "
                       "split matrices;matmul sharding; model parallel; model parallelism; attention heads"},
    Synonyms{"ring-attention", "context parallel; context parallelism; cp; ring attention; ulysses; zigzag; "
                               "striped attention; online softmax;long sequences"},
    Synonyms{"experts",
             "moe; mixture of experts; expert parallel; expert parallelism; ep; router; routing; load "
             "balancing; auxiliary loss;capacity factor; dropped tokens; token dispatch"},
    Synonyms{"waterfall", "mfu; model flops utilization; hfu; throughput; tokens per second; step time; time "
                          "per step; where does the time go;efficiency; bottleneck; sensitivity; profile; "
                          "slow training; gpu utilization; tokens per gpu; speed up; why slow"},
    Synonyms{"roofline",
             "arithmetic intensity; memory bound; compute bound; kernels; gemm; matmul efficiency; tile "
             "quantization;wave quantization; occupancy; tensor cores; sm; hbm bandwidth"},
    Synonyms{"growth", "scaling efficiency; strong scaling; weak scaling; more gpus; amdahl; scale out; "
                       "parallel efficiency; speedup"},
    Synonyms{"measured",
             "measurements; calibrate; my own runs; real runs; benchmark; validate; fit constants; csv; "
             "logs;profiler; predicted vs measured; import measurements; compare measured"},
    Synonyms{"accuracy", "error; how accurate; how far off; published runs; public runs; mlperf; evidence; "
                         "leave one out; unseen error; confidence"},
    Synonyms{"planner", "what fits; plan; plan a run; layout; find layout; best layout; optimal layout; auto "
                        "parallel; autotune; search layouts;which parallelism; how to split; configuration "
                        "search; recommend; 3d parallelism; 4d parallelism; planning"},
    Synonyms{
        "rent",
        "cloud; cloud price; which gpu to rent; cheapest gpus; how few gpus; deadline; buy gpus; gpu "
        "price; lambda; runpod; aws; budget of a run; days against dollars; cost of training; how "
        "many gpus; how many gpus do i need; gpus needed; gpu comparison; compare gpus; vs a100 h100 h200 "
        "h20 h800 b200 b300 gb200 gb300 mi300x mi325x mi355x gaudi tpu v4 v5e v5p v6e trainium"},
    Synonyms{"layout", "cluster; topology; ranks; rank mapping; rank placement; process groups; nodes; "
                       "device mesh; mesh; rails; network map;which gpu; where is rank; traffic"},
    Synonyms{"decide", "rule of thumb; rules of thumb; heuristic; which parallelism should i use; decision; "
                       "choose parallelism; flowchart; recipe"},
    Synonyms{"launch", "export; export config; launch script; command line; megatron config; deepspeed json; "
                       "ds config; torchtitan; nanotron; toml;yaml; slurm; start training; config file; copy "
                       "config; framework; megatron lm arguments"},
    Synonyms{"batch", "gradient accumulation; accumulate; micro batch; global batch; batch size; mini batch; "
                      "accumulation steps"},
    Synonyms{"optimizer",
             "learning rate; lr; schedule of the learning rate; warmup; warm up; cosine; wsd; adam; adamw; "
             "gradient clipping;critical batch size; gradient noise scale; weight decay; momentum; muon"},
    Synonyms{
        "formats",
        "bf16; fp16; fp8; fp4; mxfp4; nvfp4; fp32; tf32; mixed precision; precision; quantization; loss "
        "scaling; overflow;underflow; rounding; stochastic rounding; floating point; mantissa; exponent"},
    Synonyms{"data",
             "dataloader; data loader; data pipeline; data feed; num workers; deduplication; dedup; minhash; "
             "common crawl; filtering;input bound; dataset; near duplicates; tokens of the web"},
    Synonyms{
        "laws",
        "chinchilla; kaplan; isoflop; compute optimal; scaling law; how many tokens; tokens to train on; "
        "tokens per parameter; overtraining;repeated data; epochs; model size vs data; optimal model size"},
    Synonyms{"budget", "cost; price; dollars; money; usd; how much does it cost; how long; how long "
                       "does training take; training time; "
                       "training time in days; days; gpu hours; 6nd;training cost; expensive; flops needed"},
    Synonyms{"goodput",
             "failures; mtbf; mean time between failures; restart; checkpoint interval; young daly; "
             "downtime; availability;uptime; spare nodes; how often to checkpoint; node failure"},
    Synonyms{"checkpoint", "save; saving; resume; checkpoint size; reshard; resharding; distributed "
                           "checkpoint; dcp; load checkpoint; async checkpoint"},
    Synonyms{"incidents", "loss spike; divergence; nan; diverged; debug training; debugging; silent data "
                          "corruption; sdc; training instability;what went wrong; diagnose"},
    Synonyms{
        "hangs",
        "deadlock; nccl timeout; watchdog; stuck; hang; desync; flight recorder; training stuck; frozen job; "
        "who waits; who waits for whom"},
    Synonyms{"stragglers",
             "slow node; slow gpu; slowest rank; tail latency; jitter; imbalance between ranks; slow rank"},
    Synonyms{"serving", "inference; vllm; kv cache; paged attention; pagedattention; continuous batching; "
                        "speculative decoding; ttft; tpot;latency; deploy; prefill; decode; tokens per "
                        "second of inference; serve a model"},
    Synonyms{"finetune", "lora; qlora; dora; peft; adapter; adapters; sft; fine tuning; finetuning; train on "
                         "one gpu; low rank; full fine tune"},
    Synonyms{"alignment", "rlhf; ppo; dpo; grpo; reward model; preference; reinforcement learning; rl; post "
                          "training; reward hacking; kl"},
    Synonyms{"lab", "train a model; train a gpt; live training; demo; demos; real training; loss "
                    "curve;experiment; toy model; train here; tiny gpt; playground; run training"},
    Synonyms{"ranks", "several ranks; multi gpu; distributed training; mpi; real ranks; threads; inject "
                      "fault; kill a rank; parallel training"},
    Synonyms{"lessons", "course; learn; tutorial; teach me; guided; beginner; class; curriculum; start here"},
    Synonyms{"study", "heatmap; statistics; progress; spaced repetition; fsrs; anki; my progress; interview "
                      "date; study plan; review; recall;what should i study; weakest topics; how am i doing"},
    Synonyms{"drill", "quiz; practice; practise; exercises; questions; flashcards; flash cards; test me; "
                      "train questions; problems"},
    Synonyms{"mock", "interview; mock interview; exam; test; timed; practice interview"},
    Synonyms{"spoken", "speak; out loud; oral; say it; explain in a minute; talk"},
    Synonyms{"errata", "myths; mistakes; wrong claims; common mistakes; errors in books; corrections; is it "
                       "true; wrong; false claims"},
    Synonyms{
        "glossary",
        "terms; definitions; dictionary; vocabulary; what does it mean; abbreviations; acronyms; meaning"}};

constexpr std::array kFields{
    Synonyms{"parallel.tensor",
             "tp; tensor parallel size; tensor model parallel size; tensor parallel degree"},
    Synonyms{"parallel.pipeline",
             "pp; pipeline parallel size; number of stages; pipeline stages; pipeline model parallel size"},
    Synonyms{"parallel.context", "cp; context parallel size"},
    Synonyms{"parallel.expert", "ep; expert parallel size; expert model parallel size"},
    Synonyms{"parallel.expert_tensor", "etp; expert tensor parallel size"},
    Synonyms{"parallel.chunks", "vpp; virtual pipeline stages; virtual pipeline; interleaving; model chunks; "
                                "num layers per virtual stage"},
    Synonyms{"parallel.zero", "zero stage; fsdp; distributed optimizer; sharding stage"},
    Synonyms{"parallel.stage_layers",
             "layers per stage; uneven stages; layer split; decoder first pipeline num layers"},
    Synonyms{"parallel.sequence_parallel", "sp; sequence parallelism"},
    Synonyms{"parallel.overlap_tensor", "tp comm overlap; tensor parallel overlap"},
    Synonyms{"parallel.overlap_expert", "moe overlap; all to all overlap; deepep"},
    Synonyms{"parallel.overlap_pipeline", "p2p overlap; overlap p2p communication"},
    Synonyms{"training.sequence_length", "seq length; seqlen; seq len; context size; max length"},
    Synonyms{"training.micro_batch", "micro batch size; mbs; per device batch size; per gpu batch"},
    Synonyms{"training.global_batch", "global batch size; gbs; number of micro batches; tokens per batch"},
    Synonyms{"training.precision", "bf16 or fp8; mixed precision setting; dtype; data type"},
    Synonyms{"training.gradient_dtype",
             "grad dtype; main grads dtype; fp32 gradients; gradient accumulation dtype; reduce dtype"},
    Synonyms{"training.optimizer", "adam or sgd; 8-bit adam; adafactor; muon; optimizer kind"},
    Synonyms{
        "training.recompute",
        "full recomputation; selective recomputation; recompute granularity; checkpoint activations setting"},
    Synonyms{"training.schedule", "pipeline schedule; choose schedule; 1f1b schedule"},
    Synonyms{"training.offload", "offload optimizer; offload device; optimizer on cpu"},
    Synonyms{"training.flash_attention", "flash attention switch; use flash attn"},
    Synonyms{"training.fragmentation",
             "allocator fragmentation; reserved but unallocated; expandable segments"},
    Synonyms{"training.reserved_gb", "headroom; reserve memory; cuda context; safety margin"},
    Synonyms{"training.tokens", "training tokens; dataset size; number of tokens; trillion tokens"},
    Synonyms{"cluster.gpus", "number of gpus; gpu count; how many gpus; world size"},
    Synonyms{"cluster.gpus_per_node", "gpus per node; node size; nvlink domain; nvl72"},
    Synonyms{"cluster.network_gb_per_s", "infiniband speed; network bandwidth; roce; ethernet; nic speed"},
    Synonyms{"cluster.node_link_gb_per_s", "nvlink speed; nvlink bandwidth; intra node bandwidth"},
    Synonyms{"cluster.host_memory_gb", "cpu memory; ram; host ram; system memory"},
    Synonyms{"cluster.nvme_gb_per_s", "ssd speed; disk speed; nvme bandwidth"},
    Synonyms{"cluster.usd_per_gpu_hour",
             "gpu price; price per gpu hour; hourly price; cost per hour; rental price"},
    Synonyms{"cluster.gpu.memory_gb", "gpu memory size; vram size; hbm capacity; hbm size"},
    Synonyms{"cluster.gpu.hbm_gb_per_s", "hbm bandwidth; memory bandwidth"},
    Synonyms{"cluster.gpu.bf16_tflops", "peak flops; tflops; peak performance"},
    Synonyms{"cluster.gpu.power_w", "tdp; watts; power consumption; energy"},
    Synonyms{"model.layers", "number of layers; num layers; depth; transformer blocks; num hidden layers"},
    Synonyms{"model.hidden", "hidden size; d model; embedding dimension; model dimension; width"},
    Synonyms{"model.ffn", "intermediate size; ffn hidden size; mlp width; feed forward size"},
    Synonyms{"model.heads", "attention heads; num attention heads; number of heads"},
    Synonyms{"model.kv_heads", "key value heads; num key value heads; gqa groups; num query groups"},
    Synonyms{"model.vocab", "vocabulary size; vocab size; tokenizer size"},
    Synonyms{"model.experts", "number of experts; num experts; routed experts"},
    Synonyms{"model.experts_per_token", "top k routing; moe router topk; active experts"},
    Synonyms{"model.tied_embeddings", "tie word embeddings; shared embeddings; weight tying"},
    Synonyms{"model.attention",
             "mha gqa mla; attention type; multi head latent attention; grouped query attention"}};

constexpr std::array kCommands{
    Synonyms{"Undo", "go back; take back; revert"},
    Synonyms{"Copy the scenario as text", "share scenario; export scenario; scenario as json; save scenario"},
    Synonyms{"Copy a link to this",
             "share; copy link; link; url; permalink; send to a colleague; send to students; bookmark"},
    Synonyms{"Paste a link, a scenario, a config.json, measured steps, machines",
             "hugging face; huggingface; hf; import; import model; import config; load model; my own model; "
             "custom model; open file;load config; upload; config json; import json"},
    Synonyms{"Reset to the default scenario", "start over; defaults; clear; factory settings"},
    Synonyms{"Compare: keep this as A, or stop comparing",
             "ab compare; a b test; side by side; compare two layouts; difference; before and after; diff"},
    Synonyms{"Quiz me on this view", "ask me; quiz me"},
    Synonyms{"Faster", "playback speed; speed of the animation"},
    Synonyms{"Slower", "slow motion"},
    Synonyms{"GB or GiB", "gib; gibibytes; units; binary units; decimal units"},
    Synonyms{"Light or dark", "theme; dark mode; light mode; colour scheme; color scheme; colours; colors; "
                              "white background; appearance; night mode"},
    Synonyms{
        "Larger text",
        "font size; bigger text; bigger font; zoom; zoom in; text size; font; larger font; ui scale; dpi"},
    Synonyms{"Smaller text", "smaller font; zoom out; tiny text"},
    Synonyms{"Presenter: large type, only the picture",
             "presentation; presentation mode; projector; slides; beamer; present; lecture; hide panel"},
    Synonyms{"Full screen, or a window again",
             "fullscreen; full screen; maximize; maximise; whole screen; f11; kiosk"},
    Synonyms{"Motion on or off",
             "animation off; reduced motion; stop animations; no animation; accessibility"},
    Synonyms{"Spotlight at the mouse; the wheel sizes it", "laser pointer; pointer; highlight mouse; focus"},
    Synonyms{"Pen: draw over the window", "annotate; draw on screen; drawing; marker; whiteboard; scribble"},
    Synonyms{"Hide the figures, or show them", "hide numbers; cover numbers; guess the number"},
    Synonyms{"Freeze the picture, or resume it", "pause the picture; hold picture"},
    Synonyms{"Ask the class: guesses in a histogram",
             "poll; class poll; vote; audience; student guesses; survey"},
    Synonyms{"Save this view as a picture",
             "screenshot; png; export picture; export image; save image; save picture; figure for a paper"},
    Synonyms{"Save this view as SVG, to scale and to edit",
             "svg; vector graphics; export svg; figure for slides"},
    Synonyms{"Save this animation, or stop saving it",
             "gif; video; mp4; record; export animation; film; movie; screen recording"},
    Synonyms{"Quit", "exit; close; close program"},
    Synonyms{"Show the tour again",
             "tour; help; welcome; onboarding; introduction; getting started; what can i do; start page"},
    Synonyms{"Guide: what this view shows, and what to try",
             "help; manual; documentation; explain this view; what am i looking at"},
    Synonyms{"Keys of this view, and of the window",
             "shortcuts; keyboard shortcuts; keyboard; hotkeys; key bindings; cheat sheet"}};

} // namespace

std::vector<std::string_view> synonyms_of(std::string_view what)
{
    std::vector<std::string_view> names;
    const auto add = [&](const Synonyms& row)
    {
        std::string_view words = row.what == what ? row.words : std::string_view();
        while (!words.empty())
        {
            const std::size_t end = std::min(words.find(';'), words.size());
            names.push_back(words.substr(0, end));
            words.remove_prefix(std::min(end + 1, words.size()));
        }
    };
    std::ranges::for_each(kViews, add);
    std::ranges::for_each(kFields, add);
    std::ranges::for_each(kCommands, add);
    return names;
}

std::vector<std::string_view> with_synonyms()
{
    std::vector<std::string_view> all;
    const auto add = [&](const Synonyms& row) { all.push_back(row.what); };
    std::ranges::for_each(kViews, add);
    std::ranges::for_each(kFields, add);
    std::ranges::for_each(kCommands, add);
    return all;
}

} // namespace ringside
