// What by_memory.wgsl has, through subgroups: threads that a card runs together hand each other what they have, with no
// barrier. How many they are, and which threads of a workgroup, is for the card to say.
var<workgroup> parts: array<f32, threads>;

// Each subgroup writes down its own sum, then adds up what all of them wrote.
fn sum_of_threads(value: f32, thread: u32) -> f32 {
    let own = subgroupAdd(value);
    workgroupBarrier();
    parts[thread] = select(0.0, own, subgroupElect());
    workgroupBarrier();
    let present = subgroupAdd(1u);
    var sum = 0.0;
    for (var i = subgroupExclusiveAdd(1u); i < threads; i += present) {
        sum += parts[i];
    }
    return subgroupAdd(sum);
}

fn largest_of_threads(value: f32, thread: u32) -> f32 {
    let own = subgroupMax(value);
    workgroupBarrier();
    parts[thread] = own;
    workgroupBarrier();
    let present = subgroupAdd(1u);
    var most = own;
    for (var i = subgroupExclusiveAdd(1u); i < threads; i += present) {
        most = max(most, parts[i]);
    }
    return subgroupMax(most);
}

const team = 4u; // the quads of a subgroup; the smallest subgroups have four threads

fn sum_of_team(value: f32) -> f32 {
    let two = value + quadSwapX(value);
    return two + quadSwapY(two);
}

var<workgroup> counted: atomic<u32>;

// Numbers threads by their subgroup, whichever they are in: those of a team come one after the other.
fn number_of(thread: u32) -> u32 {
    var before = 0u;
    let present = subgroupAdd(1u);
    if (subgroupElect()) {
        before = atomicAdd(&counted, present);
    }
    return subgroupBroadcastFirst(before) + subgroupExclusiveAdd(1u);
}
