// GELU, with t = tanh(sqrt(2 / pi) (x + 0.044715 x^3)):
//   dx = gradient ((1 + t) / 2 + x / 2 (1 - t^2) sqrt(2 / pi) (1 + 3 0.044715 x^2))
// SwiGLU, with s = sigmoid(x): dx = gradient up s (1 + x (1 - s)), dup = gradient x s
struct Sizes {
    rows: u32, cols: u32,
    x: u32, x_stride: u32,
    gradient: u32, gradient_stride: u32,
    dx: u32, dx_stride: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> gradient: array<f32>;
@group(0) @binding(3) var<storage, read_write> dx: array<f32>;

const gated = false;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < p.rows * p.cols; i += groups.x * 256u) {
        let row = i / p.cols;
        let col = i % p.cols;
        let v = x_at(p.x + row * p.x_stride + col);
        let g = gradient_at(p.gradient + row * p.gradient_stride + col);
        let to = p.dx + row * p.dx_stride + col;
        if (gated) {
            let s = 1.0 / (1.0 + exp(-v));
            set_dx(to, g * x_at(p.x + row * p.x_stride + p.cols + col) * s * (1.0 + v * (1.0 - s)));
            set_dx(to + p.cols, g * v * s);
        } else {
            let inner = 0.7978845608 * (v + 0.044715 * v * v * v);
            let t = 1.0 - 2.0 / (exp(min(2.0 * inner, 80.0)) + 1.0);
            set_dx(to, g * (0.5 * (1.0 + t) + 0.5 * v * (1.0 - t * t) * 0.7978845608 * (1.0 + 0.134145 * v * v)));
        }
    }
}
