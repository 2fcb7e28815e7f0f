// LayerNorm: out = (x - mean) / sqrt(variance + epsilon) gain + bias (Ba et al., arXiv 1607.06450).
// RMSNorm: out = x / sqrt(mean of x^2 + epsilon) gain (Zhang and Sennrich, arXiv 1910.07467).
// Kept for the backward: mean and 1 / deviation of each row, of RMSNorm the latter.
struct Sizes {
    rows: u32, cols: u32, epsilon: f32,
    x: u32, x_stride: u32,
    gain: u32, bias: u32,
    out: u32, out_stride: u32,
    statistics: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> gain: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
@group(0) @binding(5) var<storage, read_write> statistics: array<f32>;

const layernorm = true;

@compute @workgroup_size(threads)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
    let width = f32(p.cols);
    for (var row = group.x; row < p.rows; row += groups.x) {
        let start = p.x + row * p.x_stride;
        var mean = 0.0;
        if (layernorm) {
            var sum = 0.0;
            for (var i = thread; i < p.cols; i += threads) {
                sum += x_at(start + i);
            }
            mean = sum_of_threads(sum, thread) / width;
        }
        var squares = 0.0;
        for (var i = thread; i < p.cols; i += threads) {
            let d = x_at(start + i) - mean;
            squares += d * d;
        }
        let scale = 1.0 / sqrt(sum_of_threads(squares, thread) / width + p.epsilon);
        for (var i = thread; i < p.cols; i += threads) {
            var value = (x_at(start + i) - mean) * scale * gain_at(p.gain + i);
            if (layernorm) {
                value += bias_at(p.bias + i);
            }
            set_out(p.out + row * p.out_stride + i, value);
        }
        if (thread == 0u && layernorm) {
            statistics[p.statistics + 2u * row] = mean;
            statistics[p.statistics + 2u * row + 1u] = scale;
        } else if (thread == 0u) {
            statistics[p.statistics + row] = scale;
        }
    }
}
