// to[i] += sum over rows of gradient[row, i]; of a norm's gain, of gradient[row, i] x^[row, i] with
// x^ = (x - mean) scale.
//
// A workgroup has 16 columns; 16 threads of a column each take every 16th row.
struct Sizes {
    rows: u32, cols: u32,
    gradient: u32, gradient_stride: u32,
    x: u32, x_stride: u32, statistics: u32,
    to: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> gradient: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read> statistics: array<f32>;
@group(0) @binding(4) var<storage, read_write> to: array<f32>;

const of_gain = false;
const layernorm = true;
const side = 16u;

var<workgroup> sums: array<f32, side * side>;

@compute @workgroup_size(side * side)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let col = group.x * side + thread % side;
    let lane = thread / side;
    var sum = 0.0;
    if (col < p.cols) {
        for (var row = lane; row < p.rows; row += side) {
            var value = gradient_at(p.gradient + row * p.gradient_stride + col);
            if (of_gain) {
                let kept = p.statistics + select(row, 2u * row, layernorm);
                let mean = select(0.0, statistics[kept], layernorm);
                value *= (x_at(p.x + row * p.x_stride + col) - mean) * statistics[kept + select(0u, 1u, layernorm)];
            }
            sum += value;
        }
    }
    sums[thread] = sum;
    for (var half = side / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            sums[thread] += sums[thread + half * side];
        }
    }
    if (lane == 0u && col < p.cols) {
        set_to(p.to + col, to_at(p.to + col) + sums[thread]);
    }
}
