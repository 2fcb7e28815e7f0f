// to[slot of row] = gate x from[row], or from[row] as it is; a token whose expert was full goes nowhere.
struct Sizes {
    rows: u32, cols: u32, chosen: u32,
    slots: u32, gates: u32,
    source: u32, source_stride: u32,
    to: u32, to_stride: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> slots: array<i32>;
@group(0) @binding(2) var<storage, read> gates: array<f32>;
@group(0) @binding(3) var<storage, read> source: array<f32>;
@group(0) @binding(4) var<storage, read_write> to: array<f32>;

const gated = false;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < p.rows * p.chosen * p.cols; i += groups.x * 256u) {
        let pair = i / p.cols;
        let col = i % p.cols;
        let slot = slots[p.slots + pair];
        if (slot >= 0) {
            var value = source_at(p.source + pair / p.chosen * p.source_stride + col);
            if (gated) {
                value *= gates[p.gates + pair];
            }
            set_to(p.to + u32(slot) * p.to_stride + col, value);
        }
    }
}
