package main

import "sync"

// A goroutine for the one call, the other one here.
func fib(n int64) int64 {
	if n < 2 {
		return n
	}
	other := make(chan int64, 1)
	go func() { other <- fib(n - 1) }()
	here := fib(n - 2)
	return here + <-other
}

func sequentialFib(n int64) int64 {
	if n < 2 {
		return n
	}
	return sequentialFib(n-1) + sequentialFib(n-2)
}

// Ten children each, down to single leaves, and a goroutine for each: the sum of the leaves' numbers, over channels.
func skynetNode(to chan<- int64, first, leaves int64) {
	if leaves == 1 {
		to <- first
		return
	}
	from := make(chan int64, 10)
	part := leaves / 10
	for i := int64(0); i < 10; i++ {
		go skynetNode(from, first+i*part, part)
	}
	sum := int64(0)
	for i := 0; i < 10; i++ {
		sum += <-from
	}
	to <- sum
}

func skynet(leaves int64) int64 {
	answer := make(chan int64, 1)
	go skynetNode(answer, 0, leaves)
	return <-answer
}

func sequentialSkynet(first, leaves int64) int64 {
	if leaves == 1 {
		return first
	}
	part := leaves / 10
	sum := int64(0)
	for i := int64(0); i < 10; i++ {
		sum += sequentialSkynet(first+i*part, part)
	}
	return sum
}

//go:noinline
func empty(done *uint8) { *done = 1 }

func sum(done []uint8) int64 {
	all := int64(0)
	for _, one := range done {
		all += int64(one)
	}
	return all
}

// Goroutines that do nothing but say so.
func spawn(count int64) int64 {
	done := make([]uint8, count)
	var wait sync.WaitGroup
	wait.Add(int(count))
	for i := range done {
		go func(one *uint8) {
			empty(one)
			wait.Done()
		}(&done[i])
	}
	wait.Wait()
	return sum(done)
}

func sequentialSpawn(count int64) int64 {
	done := make([]uint8, count)
	for i := range done {
		empty(&done[i])
	}
	return sum(done)
}

// A number goes to and fro; each side adds one.
func pingPong(rounds int64) int64 {
	to := make(chan int64)
	back := make(chan int64)
	go func() {
		for number := range to {
			back <- number + 1
		}
	}()
	last := make(chan int64)
	go func() {
		number := int64(0)
		for i := int64(0); i < rounds; i++ {
			to <- number + 1
			number = <-back
		}
		close(to)
		last <- number
	}()
	return <-last
}

//go:noinline
func send(number int64, mailbox *int64) { *mailbox = number + 1 }

func sequentialPingPong(rounds int64) int64 {
	ping, pong := int64(0), int64(0)
	for i := int64(0); i < rounds; i++ {
		send(ping, &pong)
		send(pong, &ping)
	}
	return ping
}
