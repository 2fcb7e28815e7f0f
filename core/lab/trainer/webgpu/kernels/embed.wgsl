// out[row, i] = table[token of row, i] + positions[place of row, i]
struct Sizes {
    rows: u32, cols: u32, length: u32,
    tokens: u32,
    table: u32, table_stride: u32,
    positions: u32, positions_stride: u32, has_positions: u32,
    out: u32, out_stride: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> tokens: array<i32>;
@group(0) @binding(2) var<storage, read> table: array<f32>;
@group(0) @binding(3) var<storage, read> positions: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < p.rows * p.cols; i += groups.x * 256u) {
        let row = i / p.cols;
        let col = i % p.cols;
        var value = table_at(p.table + u32(tokens[p.tokens + row]) * p.table_stride + col);
        if (p.has_positions != 0u) {
            value += positions_at(p.positions + row % p.length * p.positions_stride + col);
        }
        set_out(p.out + row * p.out_stride + col, value);
    }
}
