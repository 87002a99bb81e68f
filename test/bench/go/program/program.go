// Package program is how a benchmark talks to the programs that it starts: the first line of standard output says where the program
// listens, then each line of standard input is a question that one line answers. Lines out are JSON. The program ends with its input.
package program

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Serve answers questions until standard input ends, then ends the process.
func Serve(ports []int, answer func(question string) any) {
	out := json.NewEncoder(os.Stdout)
	Must(out.Encode(map[string][]int{"ports": ports}))
	questions := bufio.NewScanner(os.Stdin)
	for questions.Scan() {
		Must(out.Encode(answer(questions.Text())))
	}
	os.Exit(0)
}

// Must ends the process with what went wrong.
func Must(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// CPUSeconds is the CPU time, user and system, that this process has taken so far.
func CPUSeconds() float64 {
	var usage syscall.Rusage
	Must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// NowMicros is the Unix time in microseconds, comparable between processes of one machine.
func NowMicros() int64 {
	return time.Now().UnixMicro()
}
