package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/hookline/hookline/clients/go/webhooks"
)

// receive prints its URL, then a line for each request, and ends with its standard input.
func receive(secret string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var one sync.Mutex
	print := func(format string, values ...any) {
		one.Lock()
		defer one.Unlock()
		fmt.Printf(format+"\n", values...)
	}
	handler := &webhooks.Handler{
		Secrets: []string{secret},
		Scheme:  webhooks.Both,
		Handle: func(_ context.Context, call *webhooks.Call) error {
			print("verified %s %s %q", call.MessageId, call.Type, call.Event)
			return nil
		},
		Refused: func(_ *http.Request, err error) { print("refused %v", err) },
	}
	print("listening http://%s/hook", listener.Addr())
	go http.Serve(listener, handler)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
