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
const rows = 64u; // of a workgroup, a team of threads each, as in attention.wgsl
const own = chunks / team;
const all = rows * team;
const keeps = false; // probabilities

alias Four = vec4<f32>;     // in the format of qkv
alias FourOfIt = vec4<f32>; // in the format of gradient

var<workgroup> queries: array<Four, tile * chunks>;
var<workgroup> above: array<FourOfIt, tile * chunks>;

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

@compute @workgroup_size(all)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let thread = number_of(index);
    let part = thread % team;
    let kv = group.y;
    let share = p.heads / p.kv_heads;
    let first_row = group.z * p.length;
    let place = group.x * rows + thread / team;
    let row = first_row + min(place, p.length - 1u);
    var key: array<vec4<f32>, own>;
    var value: array<vec4<f32>, own>;
    var dkey: array<vec4<f32>, own>;
    var dvalue: array<vec4<f32>, own>;
    for (var c = 0u; c < own; c++) {
        let chunk = part + c * team;
        key[c] = load(p.qkv + row * p.qkv_stride + (p.heads + kv) * p.head_dim, chunk) * p.scale;
        value[c] = load(p.qkv + row * p.qkv_stride + (p.heads + p.kv_heads + kv) * p.head_dim, chunk);
    }
    for (var head = kv * share; head < (kv + 1u) * share; head++) {
        for (var first = group.x * rows; first < p.length; first += tile) {
            workgroupBarrier();
            for (var i = thread; i < tile * chunks; i += all) {
                let start = first_row + min(first + i / chunks, p.length - 1u);
                queries[i] = Four(load(p.qkv + start * p.qkv_stride + head * p.head_dim, i % chunks));
                let upper = p.gradient + start * p.gradient_stride + head * p.head_dim;
                above[i] = FourOfIt(load_gradient(upper, i % chunks));
            }
            workgroupBarrier();
            for (var j = 0u; j < tile && first + j < p.length; j++) {
                if (first + j < place) { continue; } // no subgroups
                var score = 0.0;
                var slope = 0.0;
                for (var c = 0u; c < own; c++) {
                    score += dot(key[c], vec4<f32>(queries[j * chunks + part + c * team]));
                    slope += dot(value[c], vec4<f32>(above[j * chunks + part + c * team]));
                }
                score = sum_of_team(score);
                slope = sum_of_team(slope);
                let at = (first_row + first + j) * p.heads + head;
                var weight = 0.0;
                if (keeps) {
                    weight = kept_at(p.kept + ((group.z * p.heads + head) * p.length + first + j) * p.kept_stride + place);
                } else {
                    weight = exp(score - kept_at(p.kept + at));
                }
                weight = select(0.0, weight, first + j >= place);
                let ds = weight * (slope - shared_sums[p.shared_at + at]) * p.scale;
                for (var c = 0u; c < own; c++) {
                    dvalue[c] += weight * vec4<f32>(above[j * chunks + part + c * team]);
                    dkey[c] += ds * vec4<f32>(queries[j * chunks + part + c * team]);
                }
            }
        }
    }
    if (place >= p.length) {
        return;
    }
    for (var i = 0u; i < 4u * own; i++) {
        let col = 4u * (part + i / 4u * team) + i % 4u;
        if (col < p.head_dim) {
            let at = p.dqkv + row * p.dqkv_stride + col;
            set_dqkv(at + (p.heads + kv) * p.head_dim, dkey[i / 4u][i % 4u]);
            set_dqkv(at + (p.heads + p.kv_heads + kv) * p.head_dim, dvalue[i / 4u][i % 4u]);
        }
    }
}
