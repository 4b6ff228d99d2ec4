// rayon as a peer of `pilfer bench fork-join` and of the experiment `peers`.
#[path = "programs.rs"]
mod programs;
#[path = "../rust/protocol.rs"]
mod protocol;

use programs::{Fork, Rayon, Sequential};
use protocol::Outcome;
use std::collections::HashMap;

// Where a program runs, with the clock around it.
trait Place {
    fn timed(&self, program: impl FnOnce() -> f64 + Send) -> (f64, f64);
}

struct Here;
impl Place for Here {
    fn timed(&self, program: impl FnOnce() -> f64 + Send) -> (f64, f64) {
        protocol::timed(program)
    }
}

impl Place for rayon::ThreadPool {
    fn timed(&self, program: impl FnOnce() -> f64 + Send) -> (f64, f64) {
        protocol::timed(|| self.install(program))
    }
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

// Minus one is an answer that nobody expects.
fn if_sorted(numbers: &[i64], (seconds, pieces): (f64, f64)) -> (f64, f64) {
    let sorted = numbers.windows(2).all(|pair| pair[0] <= pair[1]);
    (seconds, if sorted { pieces } else { -1.0 })
}

// Small whole numbers: every sum is exact.
fn matrix(size: usize, seed: usize) -> Vec<f64> {
    (0..size * size).map(|i| ((i * 7 + seed) % 11) as f64).collect()
}

fn run<F: Fork>(place: &impl Place, program: &str, size: i64) -> Option<(f64, f64)> {
    Some(match program {
        "fib" => place.timed(|| programs::fib::<F>(size) as f64),
        "skynet" => place.timed(|| programs::skynet::<F>(0, size) as f64),
        "nqueens" => place.timed(|| programs::nqueens::<F>(size as i32, 0, 0) as f64),
        "integrate" => place.timed(|| programs::integral::<F>(size as f64)),
        "quicksort" => {
            let mut numbers = numbers_to_sort(size as usize);
            let found = place.timed(|| programs::quicksort::<F>(&mut numbers) as f64);
            if_sorted(&numbers, found)
        }
        "merge_sort" => {
            let mut numbers = numbers_to_sort(size as usize);
            let mut space = vec![0; numbers.len()];
            let found = place.timed(|| programs::merge_sort::<F>(&mut numbers, &mut space) as f64);
            if_sorted(&numbers, found)
        }
        "matmul" => {
            let size = size as usize;
            let (a, b) = (matrix(size, 1), matrix(size, 5));
            let mut product = vec![0.0; size * size];
            let (seconds, _) = place.timed(|| {
                programs::multiply::<F>(&a, &b, &mut product, size);
                0.0
            });
            (seconds, product.iter().sum())
        }
        "late-leaf" => place.timed(|| programs::late_leaf::<F>(size * 1_000_000, 8) as f64),
        _ => return None,
    })
}

fn main() {
    let mut pools: HashMap<usize, rayon::ThreadPool> = HashMap::new();
    protocol::serve(|program, workers, size| {
        let found = if workers == 0 {
            run::<Sequential>(&Here, program, size)
        } else {
            let pool = pools.entry(workers).or_insert_with(|| {
                rayon::ThreadPoolBuilder::new().num_threads(workers).build().expect("rayon: no pool")
            });
            run::<Rayon>(pool, program, size)
        };
        found.map_or_else(|| protocol::unknown(program, workers), |found| Ok(Outcome::new(found)))
    });
}
