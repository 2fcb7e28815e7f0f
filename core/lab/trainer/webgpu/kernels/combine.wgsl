// out[row] = add[row] + sum of gate x source[slot of row]; a token whose expert was full gets nothing from it.
struct Sizes {
    rows: u32, cols: u32, chosen: u32,
    slots: u32, gates: u32,
    source: u32, source_stride: u32,
    add: u32, add_stride: u32,
    out: u32, out_stride: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> slots: array<i32>;
@group(0) @binding(2) var<storage, read> gates: array<f32>;
@group(0) @binding(3) var<storage, read> source: array<f32>;
@group(0) @binding(4) var<storage, read> add: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;

const gated = false;
const adds = false;
const in_place = false; // add is out

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < p.rows * p.cols; i += groups.x * 256u) {
        let row = i / p.cols;
        let col = i % p.cols;
        let to = p.out + row * p.out_stride + col;
        var sum = 0.0;
        if (in_place) {
            sum = out_at(to);
        } else if (adds) {
            sum = add_at(p.add + row * p.add_stride + col);
        }
        for (var pair = row * p.chosen; pair < (row + 1u) * p.chosen; pair++) {
            let slot = slots[p.slots + pair];
            if (slot >= 0) {
                var gate = 1.0;
                if (gated) {
                    gate = gates[p.gates + pair];
                }
                sum += gate * source_at(p.source + u32(slot) * p.source_stride + col);
            }
        }
        set_out(to, sum);
    }
}
