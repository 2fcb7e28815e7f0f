// c[m, n] = sum over k of a[m, k] b[k, n], + bias[n] + add[m, n] + what c had, where they are given.
//
// A workgroup makes a tile of 4 side x 4 side elements, a thread 4 x 4 of them in registers; 16 columns of a and rows
// of b at a time pass through the workgroup's memory.
//
// Through subgroups, threads beside each other, which make the same rows, each read a at one k and hand it to the others.
struct Sizes {
    m: u32, n: u32, k: u32,
    a: u32, a_stride: u32,
    b: u32, b_stride: u32,
    bias: u32, has_bias: u32,
    add: u32, add_stride: u32, has_add: u32,
    c: u32, c_stride: u32, accumulate: u32,
}
@group(0) @binding(0) var<uniform> p: Sizes;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read> add: array<f32>;
@group(0) @binding(5) var<storage, read_write> c: array<f32>;

const side = 16u;
const a_transposed = false; // a is [k, m]
const b_transposed = false; // b is [n, k]
const depth = 16u;
const pitch = side + 1u; // neighbours in a column of the tile lie in different banks

alias FourOfA = vec4<f32>; // in the format of a
alias FourOfB = vec4<f32>; // in the format of b
var<workgroup> rows: array<FourOfA, depth * pitch>;    // four rows of a at one k
var<workgroup> columns: array<FourOfB, depth * pitch>; // four columns of b at one k

fn a_of(row: u32, k: u32) -> f32 {
    let place = select(row * p.a_stride + k, k * p.a_stride + row, a_transposed);
    return select(0.0, a_at(p.a + place), row < p.m && k < p.k);
}

fn b_of(k: u32, col: u32) -> f32 {
    let place = select(k * p.b_stride + col, col * p.b_stride + k, b_transposed);
    return select(0.0, b_at(p.b + place), k < p.k && col < p.n);
}

// The i-th load of a tile: which four rows or columns, and which k; neighbours in i are neighbours in memory.
fn place_of(i: u32, k_is_contiguous: bool) -> vec2<u32> {
    return select(vec2(i % side, i / side), vec2(i / depth, i % depth), k_is_contiguous);
}

fn whole(row: u32, col: u32, sum: f32) -> f32 {
    var value = sum;
    if (p.has_bias != 0u) { value += bias_at(p.bias + col); }
    if (p.has_add != 0u) { value += add_at(p.add + row * p.add_stride + col); }
    if (p.accumulate != 0u) { value += c_at(p.c + row * p.c_stride + col); }
    return value;
}

fn store(row: u32, first: u32, sums: vec4<f32>) {
    for (var i = 0u; i < 4u && row < p.m; i += 2u) {
        let col = first + i;
        let at = p.c + row * p.c_stride + col;
        if (col + 1u < p.n) {
            set_c_pair(at, vec2(whole(row, col, sums[i]), whole(row, col + 1u, sums[i + 1u])));
        } else if (col < p.n) {
            set_c(at, whole(row, col, sums[i]));
        }
    }
}

@compute @workgroup_size(side * side)
fn main(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_index) index: u32,
        @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) lanes: u32, // subgroups
) {
    let thread = number_of(index);
    // A subgroup that is not whole has teams of one.
    let most = min(lanes, side); // subgroups
    let whole_one = subgroupAdd(1u) == lanes && subgroupBroadcastFirst(thread) % most == 0u; // subgroups
    let readers = select(1u, most, whole_one); // subgroups
    var handed = vec4<f32>(); // subgroups
    let row = thread / side;
    let col = thread % side;
    let first_row = tile.y * 4u * side;
    let first_col = tile.x * 4u * side;
    var s0 = vec4<f32>();
    var s1 = vec4<f32>();
    var s2 = vec4<f32>();
    var s3 = vec4<f32>();
    for (var first = 0u; first < p.k; first += depth) {
        for (var i = thread; i < depth * side; i += side * side) {
            let x = place_of(i, !a_transposed);
            let m = first_row + 4u * x.x;
            let ka = first + x.y;
            rows[x.y * pitch + x.x] = FourOfA(vec4(a_of(m, ka), a_of(m + 1u, ka), a_of(m + 2u, ka), a_of(m + 3u, ka)));
            let y = place_of(i, b_transposed);
            let n = first_col + 4u * y.x;
            let kb = first + y.y;
            columns[y.y * pitch + y.x] = FourOfB(vec4(b_of(kb, n), b_of(kb, n + 1u), b_of(kb, n + 2u), b_of(kb, n + 3u)));
        }
        workgroupBarrier();
        for (var k = 0u; k < depth; k++) {
            let x = vec4<f32>(rows[k * pitch + row]); // no subgroups
            if (k % readers == 0u) { handed = vec4<f32>(rows[(k + lane % readers) * pitch + row]); } // subgroups
            let x = subgroupShuffle(handed, lane - lane % readers + k % readers); // subgroups
            let y = vec4<f32>(columns[k * pitch + col]);
            s0 = fma(vec4(x.x), y, s0);
            s1 = fma(vec4(x.y), y, s1);
            s2 = fma(vec4(x.z), y, s2);
            s3 = fma(vec4(x.w), y, s3);
        }
        workgroupBarrier();
    }
    let m = first_row + 4u * row;
    let n = first_col + 4u * col;
    var sums = array(s0, s1, s2, s3);
    for (var i = 0u; i < 4u; i++) { store(m + i, n, sums[i]); }
}
