// to[word, i] += sum over the rows of this word of gradient[row, i]; where `by_place`, over the rows at this place.
//
// A thread has one element and looks through all rows, so that the order of the sum is the rows' own.
struct Sizes {
    rows: u32, cols: u32, length: u32,
    tokens: u32,
    gradient: u32, gradient_stride: u32,
    to: u32, to_stride: u32, to_rows: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> tokens: array<i32>;
@group(0) @binding(2) var<storage, read> gradient: array<f32>;
@group(0) @binding(3) var<storage, read_write> to: array<f32>;

const by_place = false;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < p.to_rows * p.cols; i += groups.x * 256u) {
        let word = i / p.cols;
        let col = i % p.cols;
        var sum = 0.0;
        let first = select(0u, word, by_place);
        for (var row = first; row < p.rows; row += select(1u, p.length, by_place)) {
            if (by_place || u32(tokens[p.tokens + row]) == word) {
                sum += gradient_at(p.gradient + row * p.gradient_stride + col);
            }
        }
        let at = p.to + word * p.to_stride + col;
        set_to(at, to_at(at) + sum);
    }
}
