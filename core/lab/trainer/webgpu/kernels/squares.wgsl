// out[group] = sum over its part of x^2, or of x in the second pass over the sums of the first. In the same order
// every time.
struct Sizes {
    elements: u32, x: u32, out: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

const squared = true;

@compute @workgroup_size(threads)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
    var sum = 0.0;
    for (var i = group.x * threads + thread; i < p.elements; i += groups.x * threads) {
        let value = x_at(p.x + i);
        sum += select(value, value * value, squared);
    }
    sum = sum_of_threads(sum, thread);
    if (thread == 0u) {
        out[p.out + group.x] = sum;
    }
}
