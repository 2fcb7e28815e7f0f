// The operations a transformer's forward and backward are made of, as plain arguments. Every backend does all
// of them; a tensor without data is an argument that is not given. T is the length of a sequence, rows are
// tokens, sequence after sequence.
//
// Formats are stored, not emulated. In fp8 the matrices of layers are kept as E4M3 twice, by row for the
// backward and by column for the forward, with a scale per row; inputs of products as E4M3; gradients of
// activations are rounded to E5M2 for input gradients and stay bf16 for weight gradients, whose sums run
// over the rows that have the scales. That is a hybrid recipe (E4M3 forward, E5M2 for gradients, as
// Transformer Engine's Format.HYBRID) with scales of rows; recipes with block scales use E4M3 throughout.
// Where a device has no 8-bit products the same codes are multiplied as fp16, which holds them all.
#pragma once

#include "core/lab/trainer/tensor.h"

namespace ringside::trainer
{

// Which tokens of a sequence are here, where several ranks share it (context parallelism): pieces of equal
// length, each from a place of its own on. One piece from 0 on: all of them.
struct Cut
{
    Index pieces = 1;
    Index first[2] = {0, 0}; // of each piece's first token. NOLINT(modernize-avoid-c-arrays): CUDA's too

    // The place of a row of a sequence that has `length` rows here.
    constexpr Index place(Index row, Index length) const
    {
        const Index each = length / pieces;
        return first[row / each] + row % each;
    }
};

// c = a b, or c += a b; a and b may be read transposed. Sums are fp32, rounded once when c is stored.
struct Product
{
    Tensor a = {};
    Tensor b = {};
    Tensor c = {};
    bool a_transposed = false; // a is [K, M]
    bool b_transposed = false; // b is [N, K]
    bool accumulate = false;
    Tensor bias = {}; // [N], added to every row
    Tensor add = {};  // [M, N], added: the residual

    Index m() const { return c.rows; }
    Index n() const { return c.cols; }
    Index k() const { return a_transposed ? a.rows : a.cols; }
};

// out = table[token] + positions[place of the token]. A table that is split has the words from first_token
// on; the others are zero here.
struct Embed
{
    const std::int32_t* tokens = nullptr; // [out.rows]
    Tensor table = {};
    Tensor positions = {}; // learned positions only
    Tensor out = {};
    Index length = 0; // T
    Index first_token = 0;
    Cut cut = {};
};
struct EmbedBackward
{
    const std::int32_t* tokens = nullptr;
    Tensor gradient = {};          // of out
    Tensor table_gradient = {};    // added to
    Tensor position_gradient = {}; // added to
    Index length = 0;
    Index first_token = 0;
    Cut cut = {};
};

// LayerNorm (with mean and bias) or RMSNorm; statistics are what the backward needs of a row.
struct NormForward
{
    Tensor x = {};
    Tensor gain = {};
    Tensor bias = {}; // LayerNorm only
    Tensor out = {};
    float* statistics = nullptr; // [rows, 2] mean and 1 / deviation; RMSNorm [rows, 1]

    bool layernorm() const { return static_cast<bool>(bias); }
};
struct NormBackward
{
    Tensor gradient = {}; // of out
    Tensor x = {};
    Tensor gain = {};
    const float* statistics = nullptr;
    Tensor dx = {};            // added to: the residual's gradient
    Tensor gain_gradient = {}; // added to
    Tensor bias_gradient = {}; // added to; LayerNorm only

    bool layernorm() const { return static_cast<bool>(bias_gradient); }
};
inline constexpr float kNormEpsilon = 1e-5F;

// Rotary positions (Su et al., arXiv 2104.09864, equation 34): element i of a head's first half pairs with
// element i of its second, as in Llama. In place; backwards turns the other way.
struct Rope
{
    Tensor heads = {}; // [tokens, heads x head_dim]
    Index head_dim = 0;
    Index length = 0;
    bool backwards = false;
    Cut cut = {};
};
inline constexpr float kRopeBase = 10000.0F;

// Causal attention of one micro-batch. qkv has the queries of all heads, then keys, then values of all
// key/value heads. Without probabilities nothing of size T x T is kept (Dao et al., arXiv 2205.14135).
struct Attention
{
    Tensor qkv = {};
    Tensor out = {};           // [tokens, heads x head_dim]
    float* log_sums = nullptr; // [tokens, heads] log of the sum of exponentials
    Tensor probabilities = {}; // [sequences x heads x T, T]; optional
    Index length = 0;          // T
    Index heads = 0;
    Index kv_heads = 0;
    Index head_dim = 0;

    Index sequences() const { return out.rows / length; }
    Index group() const { return heads / kv_heads; }
};
struct AttentionBackward
{
    Attention forward = {};
    Tensor gradient = {}; // of out
    Tensor dqkv = {};     // overwritten
};

// One hop of causal attention round a ring of ranks (Liu et al., arXiv 2310.01889): this rank's queries
// against the keys and values that are here now. The softmax over what has been seen so far and the one over
// what is seen now are put together by their sums (Milakov and Gimelshein, arXiv 1805.02867).
struct AttentionHop
{
    Tensor query = {};         // [tokens, heads x head_dim]
    Tensor key_value = {};     // [tokens, 2 x kv_heads x head_dim]: all keys, then all values
    Tensor out = {};           // f32 [tokens, heads x head_dim]: over all that has been seen
    float* log_sums = nullptr; // [tokens, heads] of all that has been seen
    bool begins = false;       // nothing has been seen: out and log_sums are overwritten
    Cut queries = {};
    Cut keys = {};    // in as many pieces
    Index length = 0; // rows of a sequence, of queries and of keys
    Index heads = 0;
    Index kv_heads = 0;
    Index head_dim = 0;

    Index sequences() const { return query.rows / length; }
    Index group() const { return heads / kv_heads; }
};
struct AttentionHopBackward
{
    AttentionHop forward = {}; // out and log_sums over all keys, out in any format
    Tensor gradient = {};      // of out
    Tensor dquery = {};        // f32, added to
    Tensor dkey_value = {};    // added to
};

// GELU (tanh form: Hendrycks and Gimpel, arXiv 1606.08415), or SwiGLU (Shazeer, arXiv 2002.05202) where pre
// is twice as wide as out: gate, then up.
struct Activation
{
    Tensor pre = {};
    Tensor out = {};

    bool gated() const { return pre.cols == 2 * out.cols; }
};
struct ActivationBackward
{
    Tensor pre = {};
    Tensor gradient = {}; // of out
    Tensor dpre = {};
};

// Experts. Every sequence is routed for itself (a group of Lepikhin et al., GShard, arXiv 2006.16668, section
// 2.2): an expert has `capacity` rows for each, which its tokens take in order; a later token is
// dropped and passes the layer by. So a token's way depends neither on the sequences beside its own nor on
// the tokens after it. Row (expert x sequences + sequence) x capacity + place is where the experts' buffer
// has a token.
inline constexpr Index kMostExperts = 64;
inline constexpr Index kMostChosen = 2;
// Softmax over experts, and the k of highest probability, of equals the first. k = 1: the gate is the
// probability (Fedus et al., Switch, arXiv 2101.03961, equation 2); k = 2: it is divided by the sum of both
// (GShard, Algorithm 1), dropped or not.
struct Route
{
    Tensor logits = {}; // f32 [tokens, experts]; become probabilities
    std::int32_t* slots =
        nullptr;            // [tokens, chosen] rows of the buffer; dropped_from(expert) where it is full
    float* gates = nullptr; // [tokens, chosen]
    float* tally = nullptr; // [sequences, tally_width()], see there
    Index length = 0;       // T
    Index chosen = 1;       // k
    Index capacity = 0;

    Index experts() const { return logits.cols; }
    Index sequences() const { return logits.rows / length; }
    Index rows() const { return experts() * sequences() * capacity; }
    // What is tallied for a sequence: tokens that chose each expert, those that it took, and the loss E sum
    // f_i P_i (Switch, equations 4 to 6) with f_i of all k choices (DeepSeek-V3, arXiv 2412.19437, equations
    // 17 to 20).
    static constexpr Index tally_width(Index experts) { return 2 * experts + 1; }
    static constexpr std::int32_t dropped_from(Index expert)
    {
        return static_cast<std::int32_t>(-1 - expert);
    }
    constexpr Index expert_of(std::int32_t slot) const
    {
        return slot < 0 ? -1 - slot : slot / (sequences() * capacity);
    }
};
struct RouteBackward
{
    Route forward = {};
    Tensor gradient = {}; // of what the tokens got together [tokens, h]
    Tensor given = {};    // what the experts gave, in their buffer [rows, h]
    Tensor dlogits = {};  // f32 [tokens, experts]
    float balance = 0;    // what each sequence's balance loss counts
};
// to[slot] = gate x from[token]; other rows of the buffer stay. Without gates rows are copied as they are.
struct Dispatch
{
    Tensor from = {};
    Tensor to = {};
    const std::int32_t* slots = nullptr; // [tokens, chosen]
    const float* gates = nullptr;        // [tokens, chosen]; optional
    Index chosen = 1;
};
// out = add + sum of gate x from[slot]; dropped ones give nothing.
struct Combine
{
    Tensor from = {};
    Tensor out = {};
    Tensor add = {}; // optional; may be out
    const std::int32_t* slots = nullptr;
    const float* gates = nullptr; // optional: 1
    Index chosen = 1;
};

// Softmax and cross-entropy in one pass; logits become their gradient, times scale. Logits that are split
// have the words from first_word on, and the statistics of all parts.
struct CrossEntropy
{
    Tensor logits = {};                    // f32
    const std::int32_t* targets = nullptr; // kNoTarget asks nothing
    float* losses = nullptr;               // [rows]; 0 where nothing is asked
    float scale = 1;
    const float* statistics = nullptr; // [parts, rows, 3] of LogitStatistics; null: logits are whole
    Index parts = 1;
    Index first_word = 0;
};
// What the softmax of a row needs of one part of its logits: their largest, the sum of exp(logit - largest),
// and the target's logit, 0 where another part has it.
struct LogitStatistics
{
    Tensor logits = {}; // f32
    const std::int32_t* targets = nullptr;
    float* out = nullptr; // [rows, 3]
    Index first_word = 0;
};

// to += from, rounded once; both in the same format.
struct Add
{
    Tensor from = {};
    Tensor to = {};
};

// bias_gradient += sum of the rows
struct SumRows
{
    Tensor gradient = {};
    Tensor bias_gradient = {};
};

// to = from in another format; 8-bit rows get the scale that puts their largest value at the format's end.
struct Convert
{
    Tensor from = {};
    Tensor to = {};
    bool transposed = false; // to is [cols, rows]
};

struct SquareSum
{
    const void* data = nullptr;
    DType type = DType::f32;
    Index elements = 0;
    float* out = nullptr; // one
};

enum class UpdateRule : std::uint8_t
{
    adamw,
    sgd
};

// One optimizer step over all parameters, which lie one after the other.
struct Update
{
    UpdateRule rule = UpdateRule::adamw;
    void* weights = nullptr; // rounded from the new values; 8-bit ones are made by Convert afterwards instead
    DType weight_type = DType::f32;
    float* master = nullptr; // fp32 copy; without it the weights themselves are read, updated and rounded
    const void* gradients = nullptr;
    DType gradient_type = DType::f32;
    float* momentum = nullptr;
    float* variance = nullptr; // AdamW only
    Index elements = 0;
    Index decayed = 0; // the first so many elements decay: matrices lie before vectors

    float learning_rate = 0;
    float beta1 = 0.9F; // of SGD: the momentum
    float beta2 = 0.95F;
    float epsilon = 1e-8F;
    float weight_decay = 0;
    float correction1 = 1;    // 1 - beta1^step
    float correction2 = 1;    // 1 - beta2^step
    float gradient_scale = 1; // clipping over loss scale
    // The gradients' squares, where the host does not know their norm yet: gradient_scale is then without
    // clipping, which the device does, and a sum that is not finite changes nothing.
    const float* squares = nullptr;
    float clip = 0;          // largest norm; 0: no clipping
    bool stochastic = false; // rounds 16-bit weights up as often as they lie near the upper neighbour
    std::uint64_t key = 0;   // of the rounding's random bits
};
} // namespace ringside::trainer
