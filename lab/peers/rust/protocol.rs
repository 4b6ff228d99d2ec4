// How a peer is asked: a line "PROGRAM WORKERS SIZE" is answered by a line
//     SECONDS ANSWER VOLUNTARY_SWITCHES INVOLUNTARY_SWITCHES [MORE...]
// or by "error: TEXT". No workers means sequential code, in the peer's own language. Rust 1.63 is enough for all of this.
use std::io::{self, BufRead, Write};
use std::time::Instant;

pub struct Outcome {
    pub seconds: f64,
    pub answer: f64,
    pub more: Vec<f64>,
}

impl Outcome {
    pub fn new((seconds, answer): (f64, f64)) -> Outcome {
        Outcome { seconds, answer, more: Vec::new() }
    }
}

pub fn timed<T>(call: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let answer = call();
    (start.elapsed().as_secs_f64(), answer)
}

pub fn unknown(program: &str, workers: usize) -> Result<Outcome, String> {
    Err(format!("no program {} for {} workers", program, workers))
}

const MOST_WORKERS: usize = 1024;

fn words_of(line: &str) -> Option<(&str, usize, i64)> {
    let mut words = line.split_whitespace();
    let program = words.next()?;
    let workers = words.next()?.parse().ok()?;
    let size = words.next()?.parse().ok()?;
    if workers > MOST_WORKERS || size < 0 || words.next().is_some() {
        return None;
    }
    Some((program, workers, size))
}

// struct rusage of Linux: two times, then fourteen counts of which the last two are the context switches.
#[repr(C)]
struct Usage {
    times: [i64; 4],
    counts: [i64; 14],
}

extern "C" {
    fn getrusage(who: i32, usage: *mut Usage) -> i32;
}

// Voluntary and involuntary ones of this process so far.
fn switches() -> (i64, i64) {
    const OF_THIS_PROCESS: i32 = 0;
    let mut usage = Usage { times: [0; 4], counts: [0; 14] };
    unsafe { getrusage(OF_THIS_PROCESS, &mut usage) };
    (usage.counts[12], usage.counts[13])
}

fn answer_to(line: &str, run: &mut impl FnMut(&str, usize, i64) -> Result<Outcome, String>) -> String {
    let (program, workers, size) = match words_of(line) {
        Some(words) => words,
        None => return "error: expected PROGRAM WORKERS SIZE".to_string(),
    };
    let before = switches();
    match run(program, workers, size) {
        Ok(found) => {
            let after = switches();
            let mut text = format!("{:e} {:e} {} {}", found.seconds, found.answer, after.0 - before.0, after.1 - before.1);
            for figure in found.more {
                text += &format!(" {:e}", figure);
            }
            text
        }
        Err(why) => format!("error: {}", why),
    }
}

// Until the end of standard input.
pub fn serve(mut run: impl FnMut(&str, usize, i64) -> Result<Outcome, String>) {
    for line in io::stdin().lock().lines() {
        let line = line.expect("a line");
        println!("{}", answer_to(&line, &mut run));
        io::stdout().flush().expect("a reader");
    }
}
