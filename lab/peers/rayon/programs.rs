// The programs, over a way to fork: rayon's, or plain calls one after the other. fib to late-leaf are those of lab/programs,
// the others those of lab/peers/programs.hpp; what they mean is written there.

pub trait Fork {
    fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B);
}

pub struct Rayon;
impl Fork for Rayon {
    fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        rayon::join(a, b)
    }
}

pub struct Sequential;
impl Fork for Sequential {
    fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        let first = a();
        (first, b())
    }
}

pub fn fib<F: Fork>(n: i64) -> i64 {
    if n < 2 {
        return n;
    }
    let (a, b) = F::join(|| fib::<F>(n - 1), || fib::<F>(n - 2));
    a + b
}

// Ten children each, down to single leaves: the sum of their numbers.
pub fn skynet<F: Fork>(first: i64, leaves: i64) -> i64 {
    if leaves == 1 {
        return first;
    }
    skynet_children::<F>(first, leaves / 10, 10)
}

fn skynet_children<F: Fork>(first: i64, leaves: i64, children: i64) -> i64 {
    if children == 1 {
        return skynet::<F>(first, leaves);
    }
    let half = children / 2;
    let (a, b) = F::join(
        || skynet_children::<F>(first, leaves, half),
        || skynet_children::<F>(first + half * leaves, leaves, children - half),
    );
    a + b
}

fn queen_is_safe(mut above: u64, rows: i32, column: i32) -> bool {
    for distance in 1..=rows {
        let other = (above & 15) as i32;
        if other == column || other == column - distance || other == column + distance {
            return false;
        }
        above >>= 4;
    }
    true
}

#[inline(never)]
fn safe_columns(above: u64, rows: i32, size: i32) -> u32 {
    (0..size).filter(|&column| queen_is_safe(above, rows, column)).fold(0, |safe, column| safe | 1 << column)
}

pub fn nqueens<F: Fork>(size: i32, above: u64, row: i32) -> i64 {
    if row == size {
        return 1;
    }
    match safe_columns(above, row, size) {
        0 => 0,
        safe => nqueens_children::<F>(size, above, row, safe),
    }
}

fn nqueens_children<F: Fork>(size: i32, above: u64, row: i32, safe: u32) -> i64 {
    let child = above << 4 | u64::from(safe.trailing_zeros());
    let rest = safe & (safe - 1);
    if rest == 0 {
        return nqueens::<F>(size, child, row + 1);
    }
    let (a, b) = F::join(
        || nqueens::<F>(size, child, row + 1),
        || nqueens_children::<F>(size, above, row, rest),
    );
    a + b
}

fn integrand(x: f64) -> f64 {
    (x * x + 1.0) * x
}

pub fn integral<F: Fork>(to: f64) -> f64 {
    let (at_from, at_to) = (integrand(0.0), integrand(to));
    integrate::<F>(0.0, at_from, to, at_to, (at_from + at_to) / 2.0 * to)
}

fn integrate<F: Fork>(from: f64, at_from: f64, to: f64, at_to: f64, area: f64) -> f64 {
    let half = (to - from) / 2.0;
    let middle = from + half;
    let at_middle = integrand(middle);
    let left = (at_from + at_middle) / 2.0 * half;
    let right = (at_middle + at_to) / 2.0 * half;
    if (left + right - area).abs() < 1e-9 {
        return left + right;
    }
    let (a, b) = F::join(
        || integrate::<F>(from, at_from, middle, at_middle, left),
        || integrate::<F>(middle, at_middle, to, at_to, right),
    );
    a + b
}

const SMALL_SORT: usize = 32;

fn insertion_sort(numbers: &mut [i64]) {
    for next in 1..numbers.len() {
        let value = numbers[next];
        let mut hole = next;
        while hole > 0 && numbers[hole - 1] > value {
            numbers[hole] = numbers[hole - 1];
            hole -= 1;
        }
        numbers[hole] = value;
    }
}

fn partition(numbers: &mut [i64]) -> usize {
    let (a, b, c) = (numbers[0], numbers[numbers.len() / 2], numbers[numbers.len() - 1]);
    let pivot = a.min(b).max(a.max(b).min(c));
    let mut low = 0;
    let mut high = numbers.len() - 1;
    loop {
        while numbers[low] < pivot {
            low += 1;
        }
        while pivot < numbers[high] {
            high -= 1;
        }
        if low >= high {
            break;
        }
        numbers.swap(low, high);
        low += 1;
        high -= 1;
    }
    low.max(1)
}

// Both sorts return the number of pieces that were small enough to be sorted by insertion.
pub fn quicksort<F: Fork>(numbers: &mut [i64]) -> i64 {
    if numbers.len() <= SMALL_SORT {
        insertion_sort(numbers);
        return 1;
    }
    let middle = partition(numbers);
    let (left, right) = numbers.split_at_mut(middle);
    let (a, b) = F::join(|| quicksort::<F>(left), || quicksort::<F>(right));
    a + b
}

pub fn merge_sort<F: Fork>(numbers: &mut [i64], space: &mut [i64]) -> i64 {
    if numbers.len() <= SMALL_SORT {
        insertion_sort(numbers);
        return 1;
    }
    let middle = numbers.len() / 2;
    let (left, right) = numbers.split_at_mut(middle);
    let (left_space, right_space) = space.split_at_mut(middle);
    let (a, b) = F::join(
        || merge_sort::<F>(left, left_space),
        || merge_sort::<F>(right, right_space),
    );
    merge(left, right, left_space, right_space);
    numbers.copy_from_slice(space);
    a + b
}

// Into `low` and then `high`, which are one piece of memory.
fn merge(left: &[i64], right: &[i64], low: &mut [i64], high: &mut [i64]) {
    let (mut l, mut r) = (0, 0);
    for to in low.iter_mut().chain(high.iter_mut()) {
        let from_left = r == right.len() || (l < left.len() && left[l] <= right[r]);
        *to = if from_left { left[l] } else { right[r] };
        l += usize::from(from_left);
        r += usize::from(!from_left);
    }
}

const ROWS_AT_ONCE: usize = 8;

// product = a * b, all square and row by row; forks over halves of the rows.
pub fn multiply<F: Fork>(a: &[f64], b: &[f64], product: &mut [f64], size: usize) {
    let rows = product.len() / size;
    if rows <= ROWS_AT_ONCE {
        for (a_row, row) in a.chunks_exact(size).zip(product.chunks_exact_mut(size)) {
            for (factor, b_row) in a_row.iter().zip(b.chunks_exact(size)) {
                for (to, value) in row.iter_mut().zip(b_row) {
                    *to += factor * value;
                }
            }
        }
        return;
    }
    let half = rows / 2 * size;
    let (a_low, a_high) = a.split_at(half);
    let (low, high) = product.split_at_mut(half);
    F::join(|| multiply::<F>(a_low, b, low, size), || multiply::<F>(a_high, b, high, size));
}

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

const CLOCK_THREAD_CPUTIME_ID: i32 = 3;

fn thread_cpu_ns() -> i64 {
    let mut now = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut now) };
    now.seconds * 1_000_000_000 + now.nanoseconds
}

fn work_for_ns(ns: i64) -> i64 {
    let end = thread_cpu_ns() + ns;
    let mut state: u64 = 1;
    while thread_cpu_ns() < end {
        for _ in 0..4000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // The compiler must not know what comes out.
            unsafe { std::ptr::write_volatile(&mut state, state) };
        }
    }
    1
}

pub fn late_leaf<F: Fork>(leaf_ns: i64, tasks: i32) -> i64 {
    if tasks == 0 {
        return work_for_ns(leaf_ns);
    }
    let (a, b) = F::join(|| late_leaf::<F>(leaf_ns, tasks - 1), || work_for_ns(leaf_ns / 8));
    a + b
}
