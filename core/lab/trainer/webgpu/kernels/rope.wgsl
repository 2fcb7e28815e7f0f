// (a, b) -> (a cos - b sin, a sin + b cos), the angle of a pair being place / 10000^(2 i / width of a head): Su et
// al., arXiv 2104.09864, equation 34. Backwards by the negative angle. Cosines and sines come from the host, which is
// exact for large angles.
struct Sizes {
    rows: u32, cols: u32, head_dim: u32, length: u32,
    heads: u32, heads_stride: u32,
    direction: f32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> angles: array<vec2<f32>>; // [length, head_dim / 2] cosine and sine
@group(0) @binding(2) var<storage, read_write> heads: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let half = p.head_dim / 2u;
    let pairs = p.cols / 2u;
    for (var i = id.x; i < p.rows * pairs; i += groups.x * 256u) {
        let row = i / pairs;
        let pair = i % pairs;
        let angle = angles[row % p.length * half + pair % half];
        let at = p.heads + row * p.heads_stride + pair / half * p.head_dim + pair % half;
        let a = heads_at(at);
        let b = heads_at(at + half);
        set_heads(at, a * angle.x - b * angle.y * p.direction);
        set_heads(at + half, a * angle.y * p.direction + b * angle.x);
    }
}
