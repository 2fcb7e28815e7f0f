// p = softmax(q k^T / sqrt(d)), causal, row by row, kept whole: T x T numbers of every head of every sequence.
struct Sizes {
    length: u32, heads: u32, kv_heads: u32, head_dim: u32, scale: f32,
    qkv: u32, qkv_stride: u32,
    probabilities: u32, probabilities_stride: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;
@group(0) @binding(2) var<storage, read_write> probabilities: array<f32>;

@compute @workgroup_size(threads)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let place = group.x;
    let head = group.y;
    let kv = p.heads + head / (p.heads / p.kv_heads);
    let query = p.qkv + (group.z * p.length + place) * p.qkv_stride + head * p.head_dim;
    let to = p.probabilities + ((group.z * p.heads + head) * p.length + place) * p.probabilities_stride;
    var most = -3.0e38;
    for (var j = thread; j <= place; j += threads) {
        let key = p.qkv + (group.z * p.length + j) * p.qkv_stride + kv * p.head_dim;
        var score = 0.0;
        for (var i = 0u; i < p.head_dim; i++) {
            score += qkv[query + i] * qkv[key + i];
        }
        score *= p.scale;
        probabilities[to + j] = score;
        most = max(most, score);
    }
    most = largest_of_threads(most, thread);
    var sum = 0.0;
    for (var j = thread; j <= place; j += threads) {
        let weight = exp(probabilities[to + j] - most);
        probabilities[to + j] = weight;
        sum += weight;
    }
    sum = sum_of_threads(sum, thread);
    for (var j = thread; j < p.length; j += threads) {
        probabilities[to + j] = select(0.0, probabilities[to + j] / sum, j <= place);
    }
}
