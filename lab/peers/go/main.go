// Go as a peer of the experiment `peers`. The protocol is that of lab/peers/rust/protocol.rs: a line "PROGRAM WORKERS SIZE" is
// answered by "SECONDS ANSWER VOLUNTARY_SWITCHES INVOLUNTARY_SWITCHES", or by "error: TEXT". No workers: sequential code.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A program that is ready to be timed; it returns its answer.
type program func() (float64, error)

const mostWorkers = 1024

func whole(run func() int64) program {
	return func() (float64, error) { return float64(run()), nil }
}

func sequential(name string, size int64) program {
	switch name {
	case "fib_spawn":
		return whole(func() int64 { return sequentialFib(size) })
	case "skynet":
		return whole(func() int64 { return sequentialSkynet(0, size) })
	case "spawn":
		return whole(func() int64 { return sequentialSpawn(size) })
	case "ping_pong":
		return whole(func() int64 { return sequentialPingPong(size) })
	case "json":
		all := documents(size)
		return func() (float64, error) { return sequentialJSON(all) }
	}
	return nil
}

func parallel(name string, size int64) program {
	switch name {
	case "fib_spawn":
		return whole(func() int64 { return fib(size) })
	case "skynet":
		return whole(func() int64 { return skynet(size) })
	case "spawn":
		return whole(func() int64 { return spawn(size) })
	case "ping_pong":
		return whole(func() int64 { return pingPong(size) })
	case "json":
		all := documents(size)
		return func() (float64, error) { return parallelJSON(all) }
	}
	return nil
}

func switches() (int64, int64) {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0, 0
	}
	return int64(usage.Nvcsw), int64(usage.Nivcsw)
}

func answerTo(line string) string {
	words := strings.Fields(line)
	if len(words) != 3 {
		return "error: expected PROGRAM WORKERS SIZE"
	}
	workers, workersWrong := strconv.Atoi(words[1])
	size, sizeWrong := strconv.ParseInt(words[2], 10, 64)
	if workersWrong != nil || sizeWrong != nil || workers < 0 || workers > mostWorkers || size < 0 {
		return "error: expected PROGRAM WORKERS SIZE"
	}
	var run program
	if workers == 0 {
		// One for the program and one for the collector, as any sequential Go program has.
		run = sequential(words[0], size)
		runtime.GOMAXPROCS(runtime.NumCPU())
	} else {
		run = parallel(words[0], size)
		runtime.GOMAXPROCS(workers)
	}
	if run == nil {
		return fmt.Sprintf("error: no program %s for %d workers", words[0], workers)
	}
	runtime.GC() // what was left of the run before is not this run's
	voluntary, involuntary := switches()
	start := time.Now()
	answer, err := run()
	seconds := time.Since(start).Seconds()
	if err != nil {
		return "error: " + err.Error()
	}
	voluntaryNow, involuntaryNow := switches()
	return fmt.Sprintf("%e %.17g %d %d", seconds, answer, voluntaryNow-voluntary, involuntaryNow-involuntary)
}

func main() {
	debug.SetGCPercent(100) // whatever GOGC says
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println(runtime.Version())
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fmt.Println(answerTo(lines.Text()))
	}
}
