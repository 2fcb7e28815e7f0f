// AdamW (Loshchilov and Hutter, arXiv 1711.05101, algorithm 2), g = gradient x factor:
//   m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2
//   w -= rate (m / correction1 / (sqrt(v / correction2) + epsilon) + decay w)
// SGD: m = beta1 m + g, w -= rate (m + decay w).
//
// The gradient's norm may still be on the device. Then factor is what brings it to at most `clip` (Pascanu et al.,
// arXiv 1211.5063, algorithm 1), and a gradient that is not finite changes nothing.
//
// Weights of 16 bits are rounded from an f32 copy where there is one; `drop` bits of a float at random, up as often as
// they lie near the upper neighbour. Random bits by PCG: Jarzynski and Olano, Hash Functions for GPU Rendering, 2020.
struct Sizes {
    elements: u32, decayed: u32,
    weights: u32, gradients: u32, momentum: u32, variance: u32, squares: u32,
    has_squares: u32, clip: f32, factor: f32,
    rate: f32, beta1: f32, beta2: f32, epsilon: f32, decay: f32,
    correction1: f32, correction2: f32,
    master: u32, key: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> gradients: array<f32>;
@group(0) @binding(2) var<storage, read> squares: array<u32>; // the bits of a float: shaders may take all floats for finite
@group(0) @binding(3) var<storage, read_write> weights: array<f32>;
@group(0) @binding(4) var<storage, read_write> momentum: array<f32>;
@group(0) @binding(5) var<storage, read_write> variance: array<f32>;
@group(0) @binding(6) var<storage, read_write> master: array<f32>;

const adamw = true;
const has_master = false;
const drop = 0u; // of a float's bits, where it is rounded at random

fn random(seed: u32) -> u32 {
    let state = seed * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

// Subnormal steps of f16 are all alike, and what is too large stays: both are rounded to nearest.
fn at_random(value: f32, i: u32) -> f32 {
    let size = abs(value);
    if (drop == 0u || !(size < 65504.0) || (drop == 13u && size < 0x1p-14)) {
        return value;
    }
    let mask = (1u << drop) - 1u;
    return bitcast<f32>((bitcast<u32>(value) + (random(i ^ random(p.key)) & mask)) & ~mask);
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    var factor = p.factor;
    if (p.has_squares != 0u) {
        let bits = squares[p.squares];
        if ((bits & 0x7F800000u) == 0x7F800000u) {
            return;
        }
        let norm = sqrt(bitcast<f32>(bits)) * p.factor;
        if (p.clip > 0.0 && norm > p.clip) {
            factor *= p.clip / norm;
        }
    }
    for (var i = id.x; i < p.elements; i += groups.x * 256u) {
        let g = gradients_at(p.gradients + i) * factor;
        var w = weights_at(p.weights + i);
        if (has_master) {
            w = master[p.master + i];
        }
        let decay = select(0.0, p.decay, i < p.decayed);
        var m = p.beta1 * momentum[p.momentum + i];
        var step = 0.0;
        if (adamw) {
            m += (1.0 - p.beta1) * g;
            let v = p.beta2 * variance[p.variance + i] + (1.0 - p.beta2) * g * g;
            variance[p.variance + i] = v;
            step = m / p.correction1 / (sqrt(v / p.correction2) + p.epsilon);
        } else {
            m += g;
            step = m;
        }
        momentum[p.momentum + i] = m;
        w -= p.rate * (step + decay * w);
        if (has_master) {
            master[p.master + i] = w;
        }
        set_weights(p.weights + i, at_random(w, i));
    }
}
