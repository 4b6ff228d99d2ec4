// Tokio's tasks as a peer of the experiment `peers`: a task for everything that can be one, on the multi-thread runtime.
#[path = "../rust/protocol.rs"]
mod protocol;

use protocol::Outcome;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;

type Answer = Pin<Box<dyn Future<Output = i64> + Send>>;

// A task for the one call, the other one here.
fn fib(n: i64) -> Answer {
    Box::pin(async move {
        if n < 2 {
            return n;
        }
        let a = tokio::spawn(fib(n - 1));
        let b = fib(n - 2).await;
        a.await.expect("a task") + b
    })
}

fn sequential_fib(n: i64) -> i64 {
    if n < 2 {
        return n;
    }
    sequential_fib(n - 1) + sequential_fib(n - 2)
}

// Ten children each, down to single leaves, and a task for each: the sum of the leaves' numbers.
fn skynet(first: i64, leaves: i64) -> Answer {
    Box::pin(async move {
        if leaves == 1 {
            return first;
        }
        let part = leaves / 10;
        let children: Vec<_> = (0..10).map(|i| tokio::spawn(skynet(first + i * part, part))).collect();
        let mut sum = 0;
        for child in children {
            sum += child.await.expect("a task");
        }
        sum
    })
}

fn sequential_skynet(first: i64, leaves: i64) -> i64 {
    if leaves == 1 {
        return first;
    }
    let part = leaves / 10;
    (0..10).map(|i| sequential_skynet(first + i * part, part)).sum()
}

// Tasks that do nothing but say so. A JoinSet instead of their handles takes longer.
async fn spawn(count: i64) -> i64 {
    let tasks: Vec<_> = (0..count).map(|_| tokio::spawn(async { 1 })).collect();
    let mut done = 0;
    for task in tasks {
        done += task.await.expect("a task");
    }
    done
}

#[inline(never)]
fn empty(done: &mut u8) {
    unsafe { std::ptr::write_volatile(done, 1) };
}

fn sequential_spawn(count: i64) -> i64 {
    let mut done = vec![0; count as usize];
    for one in done.iter_mut() {
        empty(one);
    }
    done.iter().map(|&one| i64::from(one)).sum()
}

// A number goes to and fro; each side adds one.
async fn ping_pong(rounds: i64) -> i64 {
    let (to, mut from) = mpsc::channel::<i64>(1);
    let (back, mut answers) = mpsc::channel::<i64>(1);
    let pong = tokio::spawn(async move {
        while let Some(number) = from.recv().await {
            back.send(number + 1).await.expect("a receiver");
        }
    });
    let ping = tokio::spawn(async move {
        let mut number = 0;
        for _ in 0..rounds {
            to.send(number + 1).await.expect("a receiver");
            number = answers.recv().await.expect("an answer");
        }
        number
    });
    let number = ping.await.expect("a task");
    pong.await.expect("a task");
    number
}

#[inline(never)]
fn send(number: i64, mailbox: &mut i64) {
    unsafe { std::ptr::write_volatile(mailbox, number + 1) };
}

fn sequential_ping_pong(rounds: i64) -> i64 {
    let (mut ping, mut pong) = (0, 0);
    for _ in 0..rounds {
        send(ping, &mut pong);
        send(pong, &mut ping);
    }
    ping
}

fn run_sequentially(program: &str, size: i64) -> Option<(f64, i64)> {
    Some(match program {
        "fib_spawn" => protocol::timed(|| sequential_fib(size)),
        "skynet" => protocol::timed(|| sequential_skynet(0, size)),
        "spawn" => protocol::timed(|| sequential_spawn(size)),
        "ping_pong" => protocol::timed(|| sequential_ping_pong(size)),
        _ => return None,
    })
}

fn run(runtime: &Runtime, program: &str, size: i64) -> Option<(f64, i64)> {
    // In a task: what the main thread spawns would all go through the runtime's common queue.
    let inside = |answer: Answer| protocol::timed(|| runtime.block_on(runtime.spawn(answer)).expect("a task"));
    Some(match program {
        "fib_spawn" => inside(fib(size)),
        "skynet" => inside(skynet(0, size)),
        "spawn" => inside(Box::pin(spawn(size))),
        "ping_pong" => inside(Box::pin(ping_pong(size))),
        _ => return None,
    })
}

fn main() {
    let mut runtimes: HashMap<usize, Runtime> = HashMap::new();
    protocol::serve(|program, workers, size| {
        let found = if workers == 0 {
            run_sequentially(program, size)
        } else {
            let runtime = runtimes.entry(workers).or_insert_with(|| {
                Builder::new_multi_thread().worker_threads(workers).build().expect("tokio: no runtime")
            });
            run(runtime, program, size)
        };
        match found {
            Some((seconds, answer)) => Ok(Outcome::new((seconds, answer as f64))),
            None => protocol::unknown(program, workers),
        }
    });
}
