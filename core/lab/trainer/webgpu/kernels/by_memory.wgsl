// What the threads of a workgroup have in common, through its memory: stands before kernels that are not asked for with
// subgroups=1, by_subgroups.wgsl before the others.
var<workgroup> parts: array<f32, threads>;

// Sum of all threads' values, the same for each of them. In the same order every time.
fn sum_of_threads(value: f32, thread: u32) -> f32 {
    workgroupBarrier();
    parts[thread] = value;
    for (var half = threads / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (thread < half) {
            parts[thread] += parts[thread + half];
        }
    }
    workgroupBarrier();
    return parts[0];
}

fn largest_of_threads(value: f32, thread: u32) -> f32 {
    workgroupBarrier();
    parts[thread] = value;
    for (var half = threads / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (thread < half) {
            parts[thread] = max(parts[thread], parts[thread + half]);
        }
    }
    workgroupBarrier();
    return parts[0];
}

const team = 1u; // threads that have a row of attention together

fn sum_of_team(value: f32) -> f32 {
    return value;
}

fn number_of(thread: u32) -> u32 {
    return thread;
}
