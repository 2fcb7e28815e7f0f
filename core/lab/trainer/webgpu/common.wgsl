// Stands before every kernel. A line `const name = value;` may be filled in with another value before a kernel is
// compiled: shapes that registers and tiles are made of.
const threads = 64u; // of a workgroup that works on one row

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
