// loss = log(sum of exp(logit)) - logit of the target; logit -> (softmax - 1 at the target) factor. A row that asks
// nothing has loss and gradient 0.
struct Sizes {
    rows: u32, cols: u32, factor: f32,
    logits: u32, logits_stride: u32,
    targets: u32, losses: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> targets: array<i32>;
@group(0) @binding(2) var<storage, read_write> logits: array<f32>;
@group(0) @binding(3) var<storage, read_write> losses: array<f32>;

@compute @workgroup_size(threads)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
    for (var row = group.x; row < p.rows; row += groups.x) {
        let start = p.logits + row * p.logits_stride;
        let target_word = targets[p.targets + row];
        let asks = target_word >= 0;
        var most = logits[start];
        for (var i = thread; i < p.cols; i += threads) {
            most = max(most, logits[start + i]);
        }
        most = largest_of_threads(most, thread);
        let wanted = logits[start + u32(max(target_word, 0))] - most;
        var sum = 0.0;
        for (var i = thread; i < p.cols; i += threads) {
            sum += exp(logits[start + i] - most);
        }
        sum = sum_of_threads(sum, thread);
        for (var i = thread; i < p.cols; i += threads) {
            let share = exp(logits[start + i] - most) / sum;
            let hit = select(0.0, 1.0, i32(i) == target_word);
            logits[start + i] = select(0.0, (share - hit) * p.factor, asks);
        }
        if (thread == 0u) {
            losses[p.losses + row] = select(0.0, log(sum) - wanted, asks);
        }
    }
}
