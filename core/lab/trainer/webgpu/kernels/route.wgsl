// Softmax over experts, and the `chosen` of highest probability, of equals the first. One: its gate is its probability
// (Fedus et al., arXiv 2101.03961, equation 2); two: divided by the sum of both (Lepikhin et al., arXiv 2006.16668,
// algorithm 1). An expert takes tokens in order until it is full. Tally of a sequence: tokens that chose each expert, those
// that it took, and E sum f_i P_i.
//
// A workgroup has a sequence: a thread has every 64th token, then an expert.
struct Sizes {
    length: u32, sequences: u32, experts: u32, chosen: u32, capacity: u32,
    logits: u32, logits_stride: u32,
    slots: u32, gates: u32, tally: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read_write> logits: array<f32>;
@group(0) @binding(2) var<storage, read_write> slots: array<i32>;
@group(0) @binding(3) var<storage, read_write> gates: array<f32>;
@group(0) @binding(4) var<storage, read_write> tally: array<f32>;

fn choose(row: u32) {
    let start = p.logits + row * p.logits_stride;
    var most = logits[start];
    for (var i = 1u; i < p.experts; i++) {
        most = max(most, logits[start + i]);
    }
    var sum = 0.0;
    for (var i = 0u; i < p.experts; i++) {
        let weight = exp(logits[start + i] - most);
        logits[start + i] = weight;
        sum += weight;
    }
    for (var i = 0u; i < p.experts; i++) {
        logits[start + i] /= sum;
    }
    var taken = p.experts; // none
    var whole = 0.0;
    for (var j = 0u; j < p.chosen; j++) {
        var best = select(0u, 1u, taken == 0u);
        for (var i = best + 1u; i < p.experts; i++) {
            best = select(best, i, i != taken && logits[start + i] > logits[start + best]);
        }
        taken = best;
        whole += logits[start + best];
        slots[p.slots + row * p.chosen + j] = -1 - i32(best);
        gates[p.gates + row * p.chosen + j] = logits[start + best];
    }
    for (var j = 0u; j < p.chosen && p.chosen > 1u; j++) {
        gates[p.gates + row * p.chosen + j] /= whole;
    }
}

@compute @workgroup_size(threads)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = group.x * p.length;
    for (var i = thread; i < p.length; i += threads) {
        choose(first + i);
    }
    storageBarrier();
    let counts = p.tally + group.x * (2u * p.experts + 1u);
    var even = 0.0;
    if (thread < p.experts) {
        var wanted = 0u;
        var taken = 0u;
        var likely = 0.0;
        for (var row = first; row < first + p.length; row++) {
            likely += logits[p.logits + row * p.logits_stride + thread];
            for (var j = p.slots + row * p.chosen; j < p.slots + (row + 1u) * p.chosen; j++) {
                if (slots[j] == -1 - i32(thread)) {
                    wanted++;
                    if (taken < p.capacity) {
                        slots[j] = i32((thread * p.sequences + group.x) * p.capacity + taken);
                        taken++;
                    }
                }
            }
        }
        tally[counts + thread] = f32(wanted);
        tally[counts + p.experts + thread] = f32(taken);
        let tokens = f32(p.length);
        even = f32(wanted) / (tokens * f32(p.chosen)) * (likely / tokens);
    }
    even = sum_of_threads(even, thread);
    if (thread == 0u) {
        tally[counts + 2u * p.experts] = f32(p.experts) * even;
    }
}
