// crossbeam-deque as a peer of the experiment `peers`: the owner fills and empties, as in lab/queues, while at most one thief
// steals. "lifo WORKERS ENTRIES" or "fifo@20 WORKERS ENTRIES": 20 % of what is pushed is to be stolen. No workers: a Vec or a
// VecDeque; one: the owner alone; two: with a thief. ANSWER is the owner's pushes and pops, MORE the share that was stolen.
#[path = "../rust/protocol.rs"]
mod protocol;

use crossbeam_deque::{Steal, Stealer, Worker};
use protocol::Outcome;
use std::arch::asm;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

// Whoever is here must believe that somebody else looks at `seen`: positions live in memory, no two operations merge.
#[inline(always)]
fn barrier<T>(seen: &T) {
    unsafe { asm!("/* {0} */", in(reg) seen as *const T, options(nostack, preserves_flags)) };
}

trait Queue {
    fn push(&mut self, item: u64);
    fn pop(&mut self) -> Option<u64>;
}

impl Queue for Worker<u64> {
    fn push(&mut self, item: u64) {
        Worker::push(self, item);
    }
    fn pop(&mut self) -> Option<u64> {
        Worker::pop(self)
    }
}

// Without limits to their capacity they would grow; here they never have to.
struct Stack(Vec<u64>);
impl Queue for Stack {
    fn push(&mut self, item: u64) {
        self.0.push(item);
    }
    fn pop(&mut self) -> Option<u64> {
        self.0.pop()
    }
}

struct Ring(VecDeque<u64>);
impl Queue for Ring {
    fn push(&mut self, item: u64) {
        self.0.push_back(item);
    }
    fn pop(&mut self) -> Option<u64> {
        self.0.pop_front()
    }
}

// The upper part of an item is a one, so that a sum of items also counts them.
const COUNT_SHIFT: u32 = 40;
const FIRST: u64 = 1 << COUNT_SHIFT;

#[inline(never)]
fn fill(queue: &mut impl Queue, entries: u64) {
    for item in FIRST..FIRST + entries {
        queue.push(item);
        barrier(queue);
    }
}

#[inline(never)]
fn empty(queue: &mut impl Queue) -> u64 {
    let mut sum = 0u64;
    while let Some(item) = queue.pop() {
        sum = sum.wrapping_add(item);
        barrier(queue);
    }
    sum
}

fn sum_of_fill(entries: u64) -> u64 {
    (entries * FIRST).wrapping_add(entries * (entries - 1) / 2)
}

#[derive(Default)]
struct Traffic {
    pushed: AtomicU64, // by the owner, once a round
    arrived: AtomicBool,
    stop: AtomicBool,
}

fn rest() {
    for _ in 0..8 {
        std::hint::spin_loop();
    }
}

// Keeps what it has at `share` of what was pushed, as far as it can. Returns the number and the sum of its items.
fn steal(stealer: &Stealer<u64>, with: &Traffic, share: f64) -> (u64, u64) {
    let (mut count, mut sum) = (0u64, 0u64);
    while !with.stop.load(Relaxed) {
        if count as f64 >= share * with.pushed.load(Relaxed) as f64 {
            rest();
            continue;
        }
        match stealer.steal() {
            Steal::Success(item) => {
                count += 1;
                sum = sum.wrapping_add(item);
            }
            Steal::Retry => std::hint::spin_loop(),
            Steal::Empty => rest(),
        }
    }
    (count, sum)
}

struct Owned {
    seconds: f64,
    rounds: u64,
    popped: u64,
    sum: u64,
}

const SAMPLE: Duration = Duration::from_millis(3);

// One round to warm up, then as many as a sample takes. Items are counted modulo 2^24, which a round never reaches.
fn own(queue: &mut impl Queue, entries: u64, with: &Traffic, length: Duration) -> Result<Owned, String> {
    fill(queue, entries);
    if empty(queue) != sum_of_fill(entries) {
        return Err("items were lost".to_string());
    }
    let mut found = Owned { seconds: 0.0, rounds: 0, popped: 0, sum: 0 };
    let start = Instant::now();
    while start.elapsed() < length {
        fill(queue, entries);
        found.rounds += 1;
        with.pushed.store(found.rounds * entries, Relaxed);
        let sum = empty(queue);
        found.popped += sum >> COUNT_SHIFT;
        found.sum = found.sum.wrapping_add(sum);
    }
    found.seconds = start.elapsed().as_secs_f64();
    Ok(found)
}

fn outcome(owned: Owned, entries: u64, stolen: (u64, u64)) -> Result<Outcome, String> {
    let pushed = owned.rounds * entries;
    let all = owned.rounds.wrapping_mul(sum_of_fill(entries));
    if owned.popped + stolen.0 != pushed || owned.sum.wrapping_add(stolen.1) != all {
        return Err(format!("{} pushed, but {} popped and {} stolen", pushed, owned.popped, stolen.0));
    }
    let answer = (pushed + owned.popped) as f64;
    Ok(Outcome { seconds: owned.seconds, answer, more: vec![stolen.0 as f64 / pushed as f64] })
}

fn with_thief(mut queue: Worker<u64>, entries: u64, share: f64, on: &Processors) -> Result<Outcome, String> {
    let stealer = queue.stealer();
    let with = Traffic::default();
    std::thread::scope(|scope| {
        let thief = scope.spawn(|| {
            on.pin_thief();
            with.arrived.store(true, Relaxed);
            steal(&stealer, &with, share)
        });
        while !with.arrived.load(Relaxed) {
            std::thread::yield_now();
        }
        let owned = own(&mut queue, entries, &with, 3 * SAMPLE);
        with.stop.store(true, Relaxed);
        let stolen = thief.join().map_err(|_| "the thief failed".to_string())?;
        outcome(owned?, entries, stolen)
    })
}

fn alone(mut queue: impl Queue, entries: u64) -> Result<Outcome, String> {
    let owned = own(&mut queue, entries, &Traffic::default(), SAMPLE)?;
    outcome(owned, entries, (0, 0))
}

extern "C" {
    fn sched_getaffinity(thread: i32, bytes: usize, mask: *mut u64) -> i32;
    fn sched_setaffinity(thread: i32, bytes: usize, mask: *const u64) -> i32;
}

const MASK_WORDS: usize = 16;

// Those that this process may use. The owner has the last of them, its thief the first, as in lab/queues.
struct Processors(Vec<usize>);

impl Processors {
    fn allowed() -> Processors {
        let mut mask = [0u64; MASK_WORDS];
        unsafe { sched_getaffinity(0, std::mem::size_of_val(&mask), mask.as_mut_ptr()) };
        Processors((0..MASK_WORDS * 64).filter(|p| mask[p / 64] >> (p % 64) & 1 == 1).collect())
    }
    fn pin_owner(&self) {
        pin(self.0.last());
    }
    fn pin_thief(&self) {
        pin(self.0.first());
    }
}

// Where the system refuses, the thread stays where it is.
fn pin(processor: Option<&usize>) {
    if let Some(&processor) = processor {
        let mut mask = [0u64; MASK_WORDS];
        mask[processor / 64] = 1 << (processor % 64);
        unsafe { sched_setaffinity(0, std::mem::size_of_val(&mask), mask.as_ptr()) };
    }
}

// "fifo@20": the order, and the share to be stolen.
fn order_and_share(program: &str) -> Option<(&str, f64)> {
    match program.split_once('@') {
        None => Some((program, 0.0)),
        Some((order, percent)) => Some((order, percent.parse::<f64>().ok()? / 100.0)),
    }
}

fn main() {
    let on = Processors::allowed();
    on.pin_owner();
    protocol::serve(|program, workers, size| {
        let entries = size as u64;
        if entries == 0 || entries >= 1 << 20 {
            return Err("between 1 and 2^20 entries".to_string());
        }
        let capacity = size as usize;
        match (order_and_share(program), workers) {
            (Some(("lifo", _)), 0) => alone(Stack(Vec::with_capacity(capacity)), entries),
            (Some(("fifo", _)), 0) => alone(Ring(VecDeque::with_capacity(capacity)), entries),
            (Some(("lifo", _)), 1) => alone(Worker::new_lifo(), entries),
            (Some(("fifo", _)), 1) => alone(Worker::new_fifo(), entries),
            (Some(("lifo", share)), 2) => with_thief(Worker::new_lifo(), entries, share, &on),
            (Some(("fifo", share)), 2) => with_thief(Worker::new_fifo(), entries, share, &on),
            _ => protocol::unknown(program, workers),
        }
    });
}
