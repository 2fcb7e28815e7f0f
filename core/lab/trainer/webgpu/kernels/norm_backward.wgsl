// dx += scale (g - mean(g) - x^ mean(g x^)) with g = gradient x gain and x^ = (x - mean) scale; RMSNorm has no mean(g).
struct Sizes {
    rows: u32, cols: u32,
    gradient: u32, gradient_stride: u32,
    x: u32, x_stride: u32,
    gain: u32, statistics: u32,
    dx: u32, dx_stride: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> gradient: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read> gain: array<f32>;
@group(0) @binding(4) var<storage, read> statistics: array<f32>;
@group(0) @binding(5) var<storage, read_write> dx: array<f32>;

const layernorm = true;

@compute @workgroup_size(threads)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
    let width = f32(p.cols);
    for (var row = group.x; row < p.rows; row += groups.x) {
        let start = p.x + row * p.x_stride;
        let above = p.gradient + row * p.gradient_stride;
        let kept = p.statistics + select(row, 2u * row, layernorm);
        let mean = select(0.0, statistics[kept], layernorm);
        let scale = statistics[kept + select(0u, 1u, layernorm)];
        var sum = 0.0;
        var along = 0.0;
        for (var i = thread; i < p.cols; i += threads) {
            let g = gradient_at(above + i) * gain_at(p.gain + i);
            sum += g;
            along += g * ((x_at(start + i) - mean) * scale);
        }
        let first = select(0.0, sum_of_threads(sum, thread) / width, layernorm);
        let second = sum_of_threads(along, thread) / width;
        for (var i = thread; i < p.cols; i += threads) {
            let g = gradient_at(above + i) * gain_at(p.gain + i);
            let at = p.dx + row * p.dx_stride + i;
            set_dx(at, dx_at(at) + scale * (g - first - (x_at(start + i) - mean) * scale * second));
        }
    }
}
