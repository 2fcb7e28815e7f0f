// dq = sum over j of ds k with ds = p (dp - shared) / sqrt(d), dp = dout . v[j] and shared = dout . out of the row
// (Dao et al., arXiv 2205.14135, appendix B.4). p again from the logarithms that the forward kept, or as it kept it.
//
// A thread has one query; keys and values pass by. `shared` is written down for the other half of the backward.
struct Sizes {
    length: u32, heads: u32, kv_heads: u32, head_dim: u32, scale: f32,
    qkv: u32, qkv_stride: u32,
    out: u32, out_stride: u32,
    gradient: u32, gradient_stride: u32,
    kept: u32, kept_stride: u32,
    dqkv: u32, dqkv_stride: u32,
    shared_at: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;
@group(0) @binding(2) var<storage, read> out: array<f32>;
@group(0) @binding(3) var<storage, read> gradient: array<f32>;
@group(0) @binding(4) var<storage, read> kept: array<f32>; // logarithms, or probabilities
@group(0) @binding(5) var<storage, read_write> dqkv: array<f32>;
@group(0) @binding(6) var<storage, read_write> shared_sums: array<f32>;

const chunks = 16u;
const tile = 16u;
const rows = 64u; // of a workgroup, a team of threads each, as in attention.wgsl
const own = chunks / team;
const all = rows * team;
const keeps = false; // probabilities

alias Four = vec4<f32>; // in the format of qkv

var<workgroup> keys: array<Four, tile * chunks>;
var<workgroup> values: array<Four, tile * chunks>;

fn load(start: u32, chunk: u32) -> vec4<f32> {
    var four = vec4<f32>();
    for (var i = 0u; i < 4u; i++) {
        four[i] = select(0.0, qkv_at(start + 4u * chunk + i), 4u * chunk + i < p.head_dim);
    }
    return four;
}

@compute @workgroup_size(all)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let thread = number_of(index);
    let part = thread % team;
    let head = group.y;
    let first_row = group.z * p.length;
    let kv = head / (p.heads / p.kv_heads);
    let place = group.x * rows + thread / team;
    let here = place < p.length;
    let row = first_row + min(place, p.length - 1u);
    var query: array<vec4<f32>, own>;
    var above: array<vec4<f32>, own>;
    var sum: array<vec4<f32>, own>;
    var along = 0.0;
    for (var c = 0u; c < own; c++) {
        let chunk = part + c * team;
        query[c] = load(p.qkv + row * p.qkv_stride + head * p.head_dim, chunk) * p.scale;
        for (var i = 0u; i < 4u && 4u * chunk + i < p.head_dim; i++) {
            let col = head * p.head_dim + 4u * chunk + i;
            above[c][i] = gradient_at(p.gradient + row * p.gradient_stride + col);
            along += above[c][i] * out_at(p.out + row * p.out_stride + col);
        }
    }
    along = sum_of_team(along);
    let log_sum = kept_at(p.kept + row * p.heads + head); // of no use where probabilities are kept
    let weights = p.kept + ((group.z * p.heads + head) * p.length + min(place, p.length - 1u)) * p.kept_stride;
    let end = min(p.length, (group.x + 1u) * rows);
    for (var first = 0u; first < end; first += tile) {
        workgroupBarrier();
        for (var i = thread; i < tile * chunks; i += all) {
            let key_row = p.qkv + (first_row + min(first + i / chunks, p.length - 1u)) * p.qkv_stride;
            keys[i] = Four(load(key_row + (p.heads + kv) * p.head_dim, i % chunks));
            values[i] = Four(load(key_row + (p.heads + p.kv_heads + kv) * p.head_dim, i % chunks));
        }
        workgroupBarrier();
        for (var j = 0u; j < tile && first + j <= place && first + j < end; j++) { // no subgroups
        for (var j = 0u; j < tile && first + j < end; j++) { // subgroups
            var score = 0.0;
            var slope = 0.0;
            for (var c = 0u; c < own; c++) {
                score += dot(query[c], vec4<f32>(keys[j * chunks + part + c * team]));
                slope += dot(above[c], vec4<f32>(values[j * chunks + part + c * team]));
            }
            score = sum_of_team(score);
            slope = sum_of_team(slope);
            var weight = 0.0;
            if (keeps) {
                weight = kept_at(weights + first + j);
            } else {
                weight = exp(score - log_sum);
            }
            let ds = select(0.0, weight * (slope - along) * p.scale, first + j <= place);
            for (var c = 0u; c < own; c++) {
                sum[c] += ds * vec4<f32>(keys[j * chunks + part + c * team]);
            }
        }
    }
    if (!here) {
        return;
    }
    for (var i = 0u; i < 4u * own; i++) {
        let col = 4u * (part + i / 4u * team) + i % 4u;
        if (col < p.head_dim) {
            set_dqkv(p.dqkv + row * p.dqkv_stride + head * p.head_dim + col, sum[i / 4u][i % 4u]);
        }
    }
    if (part == 0u) {
        shared_sums[p.shared_at + row * p.heads + head] = along;
    }
}
