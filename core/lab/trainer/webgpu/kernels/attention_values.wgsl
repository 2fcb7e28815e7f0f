// out[i] = sum over j <= i of p[i, j] v[j], from probabilities that are kept.
struct Sizes {
    rows: u32, length: u32, heads: u32, kv_heads: u32, head_dim: u32,
    qkv: u32, qkv_stride: u32,
    probabilities: u32, probabilities_stride: u32,
    out: u32, out_stride: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;
@group(0) @binding(2) var<storage, read> probabilities: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let cols = p.heads * p.head_dim;
    for (var i = id.x; i < p.rows * cols; i += groups.x * 256u) {
        let row = i / cols;
        let col = i % cols;
        let head = col / p.head_dim;
        let place = row % p.length;
        let kv = p.heads + p.kv_heads + head / (p.heads / p.kv_heads);
        let weights = p.probabilities + ((row / p.length * p.heads + head) * p.length + place) * p.probabilities_stride;
        let values = p.qkv + (row - place) * p.qkv_stride + kv * p.head_dim + col % p.head_dim;
        var sum = 0.0;
        for (var j = 0u; j <= place; j++) {
            sum += probabilities_at(weights + j) * qkv_at(values + j * p.qkv_stride);
        }
        set_out(p.out + row * p.out_stride + col, sum);
    }
}
