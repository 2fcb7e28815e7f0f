// p = softmax(q k^T / sqrt(d)), causal, row by row, kept whole: T x T numbers of every head of every sequence.
//
// Scores are made twice, once for the largest and the sum of exponentials (Milakov and Gimelshein, arXiv 1805.02867),
// once to be kept: they may be kept in 16 bits, which they are not added up in.
struct Sizes {
    length: u32, heads: u32, kv_heads: u32, head_dim: u32, scale: f32,
    qkv: u32, qkv_stride: u32,
    probabilities: u32, probabilities_stride: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;
@group(0) @binding(2) var<storage, read_write> probabilities: array<f32>;

fn score(query: u32, key: u32) -> f32 {
    var sum = 0.0;
    for (var i = 0u; i < p.head_dim; i++) {
        sum += qkv_at(query + i) * qkv_at(key + i);
    }
    return sum * p.scale;
}

@compute @workgroup_size(threads)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let place = group.x;
    let head = group.y;
    let keys = p.qkv + group.z * p.length * p.qkv_stride + (p.heads + head / (p.heads / p.kv_heads)) * p.head_dim;
    let query = p.qkv + (group.z * p.length + place) * p.qkv_stride + head * p.head_dim;
    let to = p.probabilities + ((group.z * p.heads + head) * p.length + place) * p.probabilities_stride;
    var own = -3.0e38;
    var own_sum = 0.0;
    for (var j = thread; j <= place; j += threads) {
        let value = score(query, keys + j * p.qkv_stride);
        let next = max(own, value);
        own_sum = own_sum * exp(own - next) + exp(value - next);
        own = next;
    }
    let most = largest_of_threads(own, thread);
    let sum = sum_of_threads(own_sum * exp(own - most), thread);
    for (var j = thread; j < p.length; j += threads) {
        var value = 0.0;
        if (j <= place) {
            value = exp(score(query, keys + j * p.qkv_stride) - most) / sum;
        }
        set_probabilities(to + j, value);
    }
}
