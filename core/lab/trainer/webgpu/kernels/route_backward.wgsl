// dgate = gradient . what the expert gave, 0 where it was full. Of the probabilities: dgate, or with two gates that add up
// to 1, (dgate - sum of gate dgate) / (sum of both); and balance E / T^2 / chosen x tokens that chose the expert. Of the
// logits: p (dp - sum of p dp).
//
// A workgroup has a token: its threads share the products, then each has an expert.
struct Sizes {
    rows: u32, cols: u32, length: u32, sequences: u32, experts: u32, chosen: u32, capacity: u32, balance: f32,
    probabilities: u32, probabilities_stride: u32,
    slots: u32, gates: u32, tally: u32,
    gradient: u32, gradient_stride: u32,
    given: u32, given_stride: u32,
    dlogits: u32, dlogits_stride: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> probabilities: array<f32>;
@group(0) @binding(2) var<storage, read> slots: array<i32>;
@group(0) @binding(3) var<storage, read> gates: array<f32>;
@group(0) @binding(4) var<storage, read> tally: array<f32>;
@group(0) @binding(5) var<storage, read> gradient: array<f32>;
@group(0) @binding(6) var<storage, read> given: array<f32>;
@group(0) @binding(7) var<storage, read_write> dlogits: array<f32>;

fn expert_of(slot: i32) -> u32 {
    return select(u32(slot) / (p.sequences * p.capacity), u32(-1 - slot), slot < 0);
}

fn dgate(row: u32, slot: i32, thread: u32) -> f32 {
    var sum = 0.0;
    if (slot >= 0) {
        for (var i = thread; i < p.cols; i += threads) {
            sum += gradient_at(p.gradient + row * p.gradient_stride + i) * given_at(p.given + u32(slot) * p.given_stride + i);
        }
    }
    return sum_of_threads(sum, thread);
}

@compute @workgroup_size(threads)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
    for (var row = group.x; row < p.rows; row += groups.x) {
        let start = p.probabilities + row * p.probabilities_stride;
        let pair = p.slots + row * p.chosen;
        let gate = p.gates + row * p.chosen;
        var mine = vec2<f32>();
        var shared_part = 0.0;
        var whole = 0.0;
        for (var j = 0u; j < p.chosen; j++) {
            mine[j] = dgate(row, slots[pair + j], thread);
            shared_part += mine[j] * gates[gate + j];
            whole += probabilities[start + expert_of(slots[pair + j])];
        }
        if (p.chosen == 1u) {
            shared_part = 0.0;
            whole = 1.0;
        }
        var probability = 0.0;
        var slope = 0.0;
        if (thread < p.experts) {
            probability = probabilities[start + thread];
            let tokens = f32(p.length);
            slope = p.balance * f32(p.experts) / (tokens * tokens * f32(p.chosen))
                * tally[p.tally + row / p.length * (2u * p.experts + 1u) + thread];
            for (var j = 0u; j < p.chosen; j++) {
                slope += select(0.0, (mine[j] - shared_part) / whole, expert_of(slots[pair + j]) == thread);
            }
        }
        let mean = sum_of_threads(probability * slope, thread);
        if (thread < p.experts) {
            dlogits[p.dlogits + row * p.dlogits_stride + thread] = probability * (slope - mean);
        }
    }
}
