// out = softmax(q k^T / sqrt(d)) v, causal, without keeping anything of size T x T: Dao et al., arXiv 2205.14135,
// algorithm 1, with the largest score and the sum of exponentials carried along (Milakov and Gimelshein, arXiv
// 1805.02867). Kept for the backward: log of each row's sum.
//
// A thread has one query, its sum of values in registers; keys and values pass by in the workgroup's memory.
struct Sizes {
    length: u32, heads: u32, kv_heads: u32, head_dim: u32, scale: f32,
    qkv: u32, qkv_stride: u32,
    out: u32, out_stride: u32,
    log_sums: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<storage, read_write> log_sums: array<f32>;

const chunks = 16u; // of four elements in a head, the last one filled up with zeros
const tile = 16u;   // keys in the workgroup's memory

var<workgroup> keys: array<vec4<f32>, tile * chunks>;
var<workgroup> values: array<vec4<f32>, tile * chunks>;

fn load(start: u32, chunk: u32) -> vec4<f32> {
    var four = vec4<f32>();
    for (var i = 0u; i < 4u; i++) {
        four[i] = select(0.0, qkv_at(start + 4u * chunk + i), 4u * chunk + i < p.head_dim);
    }
    return four;
}

@compute @workgroup_size(threads)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let head = group.y;
    let first_row = group.z * p.length;
    let kv = head / (p.heads / p.kv_heads);
    let place = group.x * threads + thread;
    let row = first_row + min(place, p.length - 1u);
    var query: array<vec4<f32>, chunks>;
    var sum: array<vec4<f32>, chunks>;
    for (var c = 0u; c < chunks; c++) {
        query[c] = load(p.qkv + row * p.qkv_stride + head * p.head_dim, c) * p.scale;
    }
    var most = -3.0e38;
    var total = 0.0;
    let end = min(p.length, (group.x + 1u) * threads);
    for (var first = 0u; first < end; first += tile) {
        workgroupBarrier();
        for (var i = thread; i < tile * chunks; i += threads) {
            let key_row = p.qkv + (first_row + min(first + i / chunks, p.length - 1u)) * p.qkv_stride;
            keys[i] = load(key_row + (p.heads + kv) * p.head_dim, i % chunks);
            values[i] = load(key_row + (p.heads + p.kv_heads + kv) * p.head_dim, i % chunks);
        }
        workgroupBarrier();
        for (var j = 0u; j < tile && first + j <= place && first + j < end; j++) {
            var score = 0.0;
            for (var c = 0u; c < chunks; c++) {
                score += dot(query[c], keys[j * chunks + c]);
            }
            let next = max(most, score);
            let shrink = exp(most - next);
            let weight = exp(score - next);
            total = total * shrink + weight;
            for (var c = 0u; c < chunks; c++) {
                sum[c] = sum[c] * shrink + weight * values[j * chunks + c];
            }
            most = next;
        }
    }
    if (place >= p.length) {
        return;
    }
    for (var i = 0u; i < p.head_dim; i++) {
        set_out(p.out + row * p.out_stride + head * p.head_dim + i, sum[i / 4u][i % 4u] / total);
    }
    log_sums[p.log_sums + row * p.heads + head] = most + log(total);
}
