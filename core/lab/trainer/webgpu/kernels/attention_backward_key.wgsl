// dv[j] = sum over i of p[i, j] dout[i], dk[j] = sum over i of ds[i, j] q[i], over all query heads that share the key;
// ds = p (dp - shared) / sqrt(d), as in attention_backward_query.
//
// A thread has one key, its sums in registers; queries and gradients pass by, from the first that sees the key.
struct Sizes {
    length: u32, heads: u32, kv_heads: u32, head_dim: u32, scale: f32,
    qkv: u32, qkv_stride: u32,
    gradient: u32, gradient_stride: u32,
    kept: u32, kept_stride: u32,
    dqkv: u32, dqkv_stride: u32,
    shared_at: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;
@group(0) @binding(2) var<storage, read> gradient: array<f32>;
@group(0) @binding(3) var<storage, read> kept: array<f32>; // logarithms, or probabilities
@group(0) @binding(4) var<storage, read> shared_sums: array<f32>;
@group(0) @binding(5) var<storage, read_write> dqkv: array<f32>;

const chunks = 16u;
const tile = 16u;
const keeps = false; // probabilities

var<workgroup> queries: array<vec4<f32>, tile * chunks>;
var<workgroup> above: array<vec4<f32>, tile * chunks>;

fn load(start: u32, chunk: u32) -> vec4<f32> {
    var four = vec4<f32>();
    for (var i = 0u; i < 4u; i++) {
        four[i] = select(0.0, qkv_at(start + 4u * chunk + i), 4u * chunk + i < p.head_dim);
    }
    return four;
}

fn load_gradient(start: u32, chunk: u32) -> vec4<f32> {
    var four = vec4<f32>();
    for (var i = 0u; i < 4u; i++) {
        four[i] = select(0.0, gradient_at(start + 4u * chunk + i), 4u * chunk + i < p.head_dim);
    }
    return four;
}

@compute @workgroup_size(threads)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let kv = group.y;
    let share = p.heads / p.kv_heads;
    let first_row = group.z * p.length;
    let place = group.x * threads + thread;
    let row = first_row + min(place, p.length - 1u);
    var key: array<vec4<f32>, chunks>;
    var value: array<vec4<f32>, chunks>;
    var dkey: array<vec4<f32>, chunks>;
    var dvalue: array<vec4<f32>, chunks>;
    for (var c = 0u; c < chunks; c++) {
        key[c] = load(p.qkv + row * p.qkv_stride + (p.heads + kv) * p.head_dim, c) * p.scale;
        value[c] = load(p.qkv + row * p.qkv_stride + (p.heads + p.kv_heads + kv) * p.head_dim, c);
    }
    for (var head = kv * share; head < (kv + 1u) * share; head++) {
        for (var first = group.x * threads; first < p.length; first += tile) {
            workgroupBarrier();
            for (var i = thread; i < tile * chunks; i += threads) {
                let start = first_row + min(first + i / chunks, p.length - 1u);
                queries[i] = load(p.qkv + start * p.qkv_stride + head * p.head_dim, i % chunks);
                above[i] = load_gradient(p.gradient + start * p.gradient_stride + head * p.head_dim, i % chunks);
            }
            workgroupBarrier();
            for (var j = 0u; j < tile && first + j < p.length; j++) {
                if (first + j < place) {
                    continue;
                }
                var score = 0.0;
                var slope = 0.0;
                for (var c = 0u; c < chunks; c++) {
                    score += dot(key[c], queries[j * chunks + c]);
                    slope += dot(value[c], above[j * chunks + c]);
                }
                let at = (first_row + first + j) * p.heads + head;
                var weight = 0.0;
                if (keeps) {
                    weight = kept_at(p.kept + ((group.z * p.heads + head) * p.length + first + j) * p.kept_stride + place);
                } else {
                    weight = exp(score - kept_at(p.kept + at));
                }
                let ds = weight * (slope - shared_sums[p.shared_at + at]) * p.scale;
                for (var c = 0u; c < chunks; c++) {
                    dvalue[c] += weight * above[j * chunks + c];
                    dkey[c] += ds * queries[j * chunks + c];
                }
            }
        }
    }
    if (place >= p.length) {
        return;
    }
    for (var i = 0u; i < p.head_dim; i++) {
        let at = p.dqkv + row * p.dqkv_stride + i;
        set_dqkv(at + (p.heads + kv) * p.head_dim, dkey[i / 4u][i % 4u]);
        set_dqkv(at + (p.heads + p.kv_heads + kv) * p.head_dim, dvalue[i / 4u][i % 4u]);
    }
}
