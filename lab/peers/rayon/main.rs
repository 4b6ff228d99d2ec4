// rayon as a peer of `pilfer bench fork-join`: reads "PROGRAM SIZE" lines, answers "SECONDS ANSWER".
// The programs are those of lab/programs; what they mean is written there.
use std::io::{self, BufRead, Write};
use std::time::Instant;

fn fib(n: i64) -> i64 {
    if n < 2 {
        return n;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
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

fn nqueens(size: i32, above: u64, row: i32) -> i64 {
    if row == size {
        return 1;
    }
    match safe_columns(above, row, size) {
        0 => 0,
        safe => nqueens_children(size, above, row, safe),
    }
}

fn nqueens_children(size: i32, above: u64, row: i32, safe: u32) -> i64 {
    let child = above << 4 | u64::from(safe.trailing_zeros());
    let rest = safe & (safe - 1);
    if rest == 0 {
        return nqueens(size, child, row + 1);
    }
    let (a, b) = rayon::join(|| nqueens(size, child, row + 1), || nqueens_children(size, above, row, rest));
    a + b
}

fn integrand(x: f64) -> f64 {
    (x * x + 1.0) * x
}

fn integrate(from: f64, at_from: f64, to: f64, at_to: f64, area: f64) -> f64 {
    let half = (to - from) / 2.0;
    let middle = from + half;
    let at_middle = integrand(middle);
    let left = (at_from + at_middle) / 2.0 * half;
    let right = (at_middle + at_to) / 2.0 * half;
    if (left + right - area).abs() < 1e-9 {
        return left + right;
    }
    let (a, b) = rayon::join(
        || integrate(from, at_from, middle, at_middle, left),
        || integrate(middle, at_middle, to, at_to, right),
    );
    a + b
}

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

fn quicksort(numbers: &mut [i64]) -> i64 {
    if numbers.len() <= 32 {
        insertion_sort(numbers);
        return 1;
    }
    let middle = partition(numbers);
    let (left, right) = numbers.split_at_mut(middle);
    let (a, b) = rayon::join(|| quicksort(left), || quicksort(right));
    a + b
}

fn numbers_to_sort(count: usize) -> Vec<i64> {
    let mut state: u64 = 0x9e3779b97f4a7c15;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as i64
        })
        .collect()
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
            state = std::hint::black_box(state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));
        }
    }
    1
}

fn late_leaf(leaf_ns: i64, tasks: i32) -> i64 {
    if tasks == 0 {
        return work_for_ns(leaf_ns);
    }
    let (a, b) = rayon::join(|| late_leaf(leaf_ns, tasks - 1), || work_for_ns(leaf_ns / 8));
    a + b
}

fn timed<T: Send>(pool: &rayon::ThreadPool, program: impl FnOnce() -> T + Send) -> (f64, T) {
    let start = Instant::now();
    let answer = pool.install(program);
    (start.elapsed().as_secs_f64(), answer)
}

fn run(pool: &rayon::ThreadPool, program: &str, size: i64) -> Option<String> {
    let (seconds, answer) = match program {
        "fib" => timed(pool, || fib(size) as f64),
        "nqueens" => timed(pool, || nqueens(size as i32, 0, 0) as f64),
        "integrate" => {
            let to = size as f64;
            let (at_from, at_to) = (integrand(0.0), integrand(to));
            timed(pool, || integrate(0.0, at_from, to, at_to, (at_from + at_to) / 2.0 * to))
        }
        "quicksort" => {
            let mut numbers = numbers_to_sort(size as usize);
            let (seconds, pieces) = timed(pool, || quicksort(&mut numbers) as f64);
            let sorted = numbers.windows(2).all(|pair| pair[0] <= pair[1]);
            (seconds, if sorted { pieces } else { -1.0 })
        }
        "late-leaf" => timed(pool, || late_leaf(size * 1_000_000, 8) as f64),
        _ => return None,
    };
    Some(format!("{:e} {:e}", seconds, answer))
}

fn main() {
    let workers = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().expect("rayon: no pool");
    for line in io::stdin().lock().lines() {
        let line = line.expect("a line");
        let mut words = line.split_whitespace();
        let program = words.next().unwrap_or("");
        let size = words.next().and_then(|text| text.parse().ok()).unwrap_or(0);
        let answer = run(&pool, program, size).unwrap_or_else(|| format!("no program {}", program));
        println!("{}", answer);
        io::stdout().flush().expect("a reader");
    }
}
