// GELU: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) (Hendrycks and Gimpel, arXiv 1606.08415).
// SwiGLU: x sigmoid(x) up, with x and up side by side (Shazeer, arXiv 2002.05202).
struct Sizes {
    rows: u32, cols: u32,
    x: u32, x_stride: u32,
    out: u32, out_stride: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

const gated = false;

fn value_of(at: u32) -> f32 {
    let v = x_at(at);
    if (gated) {
        return v / (1.0 + exp(-v)) * x_at(at + p.cols);
    }
    let inner = 0.7978845608 * (v + 0.044715 * v * v * v);
    return v * (1.0 - 1.0 / (exp(min(2.0 * inner, 80.0)) + 1.0));
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < p.rows * p.cols; i += groups.x * 256u) {
        let row = i / p.cols;
        set_out(p.out + row * p.out_stride + i % p.cols, value_of(p.x + row * p.x_stride + i % p.cols));
    }
}
