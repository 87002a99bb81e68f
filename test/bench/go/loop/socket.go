package loop

import (
	"io"
	"net/netip"
	"os"
	"syscall"
	"unsafe"

	"hookline/test/bench/go/program"
)

const backlog = 4096

// ErrAgain tells that there is nothing to read now.
var ErrAgain = syscall.EAGAIN

func noDelay(socket int) {
	program.Must(os.NewSyscallError("setsockopt", syscall.SetsockoptInt(socket, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)))
}

// Dial connects to an IPv4 address of this machine. The socket does not block from then on.
func Dial(address netip.AddrPort) (socket int, err error) {
	socket, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	program.Must(os.NewSyscallError("socket", err))
	if err := syscall.Connect(socket, &syscall.SockaddrInet4{Port: int(address.Port()), Addr: address.Addr().As4()}); err != nil {
		syscall.Close(socket)
		return 0, os.NewSyscallError("connect", err)
	}
	noDelay(socket)
	program.Must(os.NewSyscallError("fcntl", syscall.SetNonblock(socket, true)))
	return socket, nil
}

// Listen listens on a free port of 127.0.0.1.
func Listen() (socket, port int) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	program.Must(os.NewSyscallError("socket", err))
	program.Must(os.NewSyscallError("bind", syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})))
	program.Must(os.NewSyscallError("listen", syscall.Listen(socket, backlog)))
	name, err := syscall.Getsockname(socket)
	program.Must(os.NewSyscallError("getsockname", err))
	return socket, name.(*syscall.SockaddrInet4).Port
}

// Accept gives the next connection of a listener; an error where there is none any more.
func Accept(listener int) (socket int, err error) {
	socket, _, err = syscall.Accept4(listener, syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK)
	if err == nil {
		noDelay(socket)
	}
	return socket, err
}

// Read reads what is there; io.EOF at the end, ErrAgain when there is nothing now.
func Read(socket int, into []byte) (int, error) {
	count, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(socket), uintptr(unsafe.Pointer(unsafe.SliceData(into))), uintptr(len(into)))
	if errno != 0 {
		return 0, errno
	}
	if count == 0 {
		return 0, io.EOF
	}
	return int(count), nil
}

// Write writes as much as fits.
func Write(socket int, from []byte) (int, error) {
	count, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(socket), uintptr(unsafe.Pointer(unsafe.SliceData(from))), uintptr(len(from)))
	if errno != 0 {
		return 0, errno
	}
	return int(count), nil
}

// Close ends a connection in order; what Watch began ends too.
func Close(socket int) {
	syscall.Close(socket)
}

// Reset ends a connection so that the other side's next word is an error.
func Reset(socket int) {
	program.Must(os.NewSyscallError("setsockopt", syscall.SetsockoptLinger(socket, syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1})))
	syscall.Close(socket)
}
