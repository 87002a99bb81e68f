package webhooks

import (
	"context"
	"net/http"
	"time"
)

// A Handler is an [http.Handler] for a webhook: it gives verified calls to Handle and refuses everything else.
type Handler struct {
	// Secrets, Scheme, MaxBytes, Tolerance and Now are as in [Receiver].
	Secrets   []string
	Scheme    Scheme
	MaxBytes  int64
	Tolerance time.Duration
	Now       func() time.Time

	// Handle takes a call. After an error the answer is 500, and Hookline tries again. Hookline waits for 5 seconds: what
	// takes longer belongs into a queue.
	Handle func(ctx context.Context, call *Call) error
	// Refused is told of requests that are not to be believed, when it is not nil.
	Refused func(request *http.Request, err error)
}

// ServeHTTP answers 204 when the call is handled, 500 when Handle fails, and 400, 401, 405, 408 or 413 without a call.
func (h *Handler) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	receiver := Receiver{Secrets: h.Secrets, Scheme: h.Scheme, MaxBytes: h.MaxBytes, Tolerance: h.Tolerance, Now: h.Now}
	call, err := receiver.Receive(request)
	if err != nil {
		if h.Refused != nil {
			h.Refused(request, err)
		}
		http.Error(w, err.Error(), StatusOf(err))
		return
	}
	if err := h.Handle(request.Context(), call); err != nil {
		// What went wrong inside is nobody else's business.
		http.Error(w, "the call could not be handled", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
