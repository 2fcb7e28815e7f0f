// out = softmax(q k^T / sqrt(d)) v, causal, without keeping anything of size T x T: Dao et al., arXiv 2205.14135,
// algorithm 1, with the largest score and the sum of exponentials carried along (Milakov and Gimelshein, arXiv
// 1805.02867). Kept for the backward: log of each row's sum.
//
// A thread, or a team of them, has one query, its sum of values in registers; keys and values pass by in the workgroup's
// memory.
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

const chunks = 16u; // of four elements in a head, the last ones filled up with zeros
const tile = 16u;   // keys in the workgroup's memory
const rows = 64u;   // of a workgroup; a team of threads has each, and of its head every team-th chunk
const own = chunks / team;
const all = rows * team;

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
    let row = first_row + min(place, p.length - 1u);
    var query: array<vec4<f32>, own>;
    var sum: array<vec4<f32>, own>;
    for (var c = 0u; c < own; c++) {
        query[c] = load(p.qkv + row * p.qkv_stride + head * p.head_dim, part + c * team) * p.scale;
    }
    var most = -3.0e38;
    var total = 0.0;
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
            for (var c = 0u; c < own; c++) {
                score += dot(query[c], vec4<f32>(keys[j * chunks + part + c * team]));
            }
            score = select(-3.0e38, sum_of_team(score), first + j <= place);
            let next = max(most, score);
            let shrink = exp(most - next);
            let weight = exp(score - next);
            total = total * shrink + weight;
            for (var c = 0u; c < own; c++) {
                sum[c] = sum[c] * shrink + weight * vec4<f32>(values[j * chunks + part + c * team]);
            }
            most = next;
        }
    }
    if (place >= p.length) {
        return;
    }
    for (var i = 0u; i < 4u * own; i++) {
        let col = 4u * (part + i / 4u * team) + i % 4u;
        if (col < p.head_dim) {
            set_out(p.out + row * p.out_stride + head * p.head_dim + col, sum[i / 4u][i % 4u] / total);
        }
    }
    if (part == 0u) {
        log_sums[p.log_sums + row * p.heads + head] = most + log(total);
    }
}
