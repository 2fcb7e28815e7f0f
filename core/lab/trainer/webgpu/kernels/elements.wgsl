// to = from, or to += from; where `transposed`, to[i, j] is of from[j, i].
struct Sizes {
    rows: u32, cols: u32,
    source: u32, source_stride: u32,
    to: u32, to_stride: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> source: array<f32>;
@group(0) @binding(2) var<storage, read_write> to: array<f32>;

const adds = false;
const transposed = false;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < p.rows * p.cols; i += groups.x * 256u) {
        let row = i / p.cols;
        let col = i % p.cols;
        let value = source_at(p.source + select(row * p.source_stride + col, col * p.source_stride + row, transposed));
        let at = p.to + row * p.to_stride + col;
        set_to(at, value + select(0.0, to_at(at), adds));
    }
}
