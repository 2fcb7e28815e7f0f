#include "ui/shell/palette/synonyms.h"

#include "core/base/text/find.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace ringside
{

namespace
{

struct Synonyms
{
    std::string_view what;
    std::string_view words; // names between semicolons
};

constexpr std::array kSynonyms{
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
             "mha gqa mla; attention type; multi head latent attention; grouped query attention"},

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
    Synonyms{"Draw the curve first: guesses on empty axes",
             "draw a guess; sketch the curve; predict the curve; you draw it; empty axes; hide the curve"},
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
    const auto* const row = std::ranges::find(kSynonyms, what, &Synonyms::what);
    return row == kSynonyms.end() ? std::vector<std::string_view>() : names_between(row->words);
}

std::vector<std::string_view> with_synonyms()
{
    std::vector<std::string_view> all;
    std::ranges::transform(kSynonyms, std::back_inserter(all), &Synonyms::what);
    return all;
}

} // namespace ringside
