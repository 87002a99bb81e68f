// Package loop is one thread that waits for sockets and times. A goroutine for each connection would cost twice as much: Go's scheduler
// reads each socket once in vain, and wakes threads of its own around every wait (decision 30). Linux only.
package loop

import (
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"hookline/test/bench/go/program"
)

const (
	// epoll_pwait2 takes nanoseconds where epoll_wait rounds up to milliseconds; its number is the same on every processor.
	sysEpollPwait2 = 441
	eventsAtOnce   = 256
	waitAtMost     = 100 * time.Millisecond
)

// Handler is what a loop calls, always one at a time.
type Handler interface {
	// Ready tells that a socket can be read, or is at its end.
	Ready(socket int)
	// Due does what is due and gives how long there is nothing to do unless a socket is ready.
	Due() time.Duration
}

// Loop calls one handler.
type Loop struct {
	epoll int
	mutex sync.Mutex
}

// New makes a loop without sockets.
func New() *Loop {
	epoll, err := syscall.EpollCreate1(0)
	program.Must(err)
	return &Loop{epoll: epoll}
}

// Watch has the handler called as long as there is something to read.
func (l *Loop) Watch(socket int) {
	event := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(socket)}
	program.Must(os.NewSyscallError("epoll_ctl", syscall.EpollCtl(l.epoll, syscall.EPOLL_CTL_ADD, socket, &event)))
}

// Forget ends what Watch began; the socket stays open.
func (l *Loop) Forget(socket int) {
	program.Must(os.NewSyscallError("epoll_ctl", syscall.EpollCtl(l.epoll, syscall.EPOLL_CTL_DEL, socket, nil)))
}

// Do calls work while the handler is not called.
func (l *Loop) Do(work func()) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	work()
}

// Run never ends. It keeps its thread, also while it waits: handing that on would cost more than the wait.
func (l *Loop) Run(handler Handler) {
	runtime.LockOSThread()
	var events [eventsAtOnce]syscall.EpollEvent
	for {
		l.mutex.Lock()
		wait := min(handler.Due(), waitAtMost)
		l.mutex.Unlock()
		count := l.wait(&events, wait)
		l.mutex.Lock()
		for _, event := range events[:count] {
			handler.Ready(int(event.Fd))
		}
		l.mutex.Unlock()
	}
}

func (l *Loop) wait(events *[eventsAtOnce]syscall.EpollEvent, wait time.Duration) int {
	timeout := syscall.NsecToTimespec(max(0, wait.Nanoseconds()))
	count, _, errno := syscall.RawSyscall6(sysEpollPwait2, uintptr(l.epoll), uintptr(unsafe.Pointer(events)),
		eventsAtOnce, uintptr(unsafe.Pointer(&timeout)), 0, 0)
	if errno == syscall.EINTR {
		return 0
	}
	if errno != 0 {
		program.Must(os.NewSyscallError("epoll_pwait2", errno))
	}
	return int(count)
}
