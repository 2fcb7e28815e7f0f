// What a step eats and what loader workers supply, at the mean: samples, bytes, workers needed. A reader
// feeds one data-parallel replica, whose other ranks get their tokens from it. What jitter does is in
// simulation.h.
//
// The step is assumed to take a replica's micro-batches evenly, whatever its schedule; waiting of replicas
// for the slowest reader is left to straggler.h. One million tokens/s and 80 ms per picture of one core are
// assumptions. Metrics of workers leave storage out, so that they always have a value.
#pragma once

#include "core/reliability/goodput.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <optional>

namespace ringside
{

// How a sample (one sequence) lies on disk, and so what is to be done before a GPU can take it.
enum class DataKind : std::uint8_t
{
    tokens,  // tokenised beforehand and mapped into memory: only copied
    text,    // compressed text, tokenised while training
    pictures // a sequence full of pictures, decoded, cropped and scaled while training
};
inline constexpr std::size_t kDataKinds = 3;

// Speeds of one core and sizes on disk. Sizes have a source; speeds are assumptions to be measured.
inline constexpr double kCopyTokensPerSecond = 1e9;
inline constexpr double kTokenizerTokensPerSecond = 1e6;
inline constexpr double kPictureSeconds = 0.08;
// FineWeb: 44 TB for 15 T tokens (Penedo et al. 2024).
inline constexpr double kTextBytesPerToken = 44.0 / 15;
// 336 x 336 in patches of 14 (LLaVA-1.5, Liu et al. 2023).
inline constexpr double kPictureTokens = 576;
// ImageNet's training pictures: 138 GB for 1,281,167.
inline constexpr double kPictureBytes = 138e9 / 1281167;

// How one reader is set up.
struct FeedPlan
{
    DataKind kind = DataKind::pictures;
    std::int64_t workers = 3;  // of one reader, from 1
    std::int64_t prefetch = 2; // batches a worker may be ahead, PyTorch's prefetch_factor
    bool in_order = true;      // batches leave in the order of their numbers, PyTorch's default
    double sample_s = 0;       // [s] of one core for a sample; 0: as the kind has it
    double collate_s = 1e-3;   // [s] to stack a batch and pin it
    double storage_gb_per_s = RunPlan{}.storage_gb_per_s; // read, by GPU

    bool operator==(const FeedPlan&) const = default;
};

// What the scenario's step takes. A batch is one micro-batch of one replica; the step takes them evenly.
struct FeedNeed
{
    std::int64_t readers = 1;       // data-parallel replicas
    double samples_per_s = 0;       // of the cluster
    double tokens_per_s = 0;        // of the cluster
    std::int64_t batch_samples = 1; // sequences of one micro-batch
    std::int64_t batches = 1;       // of one replica in one step
    double batch_s = 0;             // [s] the GPUs of a replica take for one

    double reader_samples_per_s() const { return samples_per_s / static_cast<double>(readers); }
};
FeedNeed feed_need(const Scenario& scenario, Seconds step);

// One batch in one worker's hands.
struct BatchCost
{
    double bytes = 0;    // on disk
    double read_s = 0;   // with all of the reader's storage to itself
    double work_s = 0;   // decode, tokenise, augment, collate: one core
    double sample_s = 0; // of that, one sample without collating
    double total() const { return read_s + work_s; }
};
BatchCost batch_cost(const Scenario& scenario, const FeedPlan& plan);

// Batches a second of one reader: W / (r + c) by its workers, 1 / r by its storage, which serves one read
// after the other. A worker slower by a factor holds up all of them when batches leave in order. A bound
// where unlike workers meet at the storage.
struct FeedSupply
{
    double workers = 0; // [1/s]
    double storage = 0; // [1/s]

    double batches_per_s() const { return workers < storage ? workers : storage; }
    // Share of the GPUs' time without a batch: 1 - supplied / needed, not below 0.
    double starved(const FeedNeed& need) const;
};
FeedSupply feed_supply(const BatchCost& cost, const FeedPlan& plan, double slow = 1);

// Smallest W that never starves at the mean, with so much to spare: (1 + margin) (r + c) / t rounded up. One
// worker may be slower by a factor s: in order all go at its pace, (1 + margin) (r + s c) / t; else the
// others bring what it does not, 1 + (r + c) ((1 + margin) / t - 1 / (r + s c)). Nothing where storage alone
// is too slow.
std::optional<std::int64_t> workers_needed(const FeedNeed& need, const BatchCost& cost, double margin = 0,
                                           double slow = 1, bool in_order = true);

// The run's tokens on disk, tokenised.
struct DataSet
{
    double token_bytes = 2; // Megatron-LM's indexed_dataset: 2 (uint16) below 65,500 rows, else 4 (int32)
    double bytes = 0;       // tokens x token_bytes, all different
    double read_bytes_per_s = 0; // of the cluster, at the speed of the step
    double cached = 0;           // share that all hosts' memory holds, so that a second pass need not read it
};
double token_width(std::int64_t vocab);
DataSet data_set(const Scenario& scenario, Seconds step);

} // namespace ringside
