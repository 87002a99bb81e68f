package hookline

import (
	"net/http"
	"strconv"
	"time"
)

const (
	firstBackOff  = 100 * time.Millisecond
	maxBackOff    = 10 * time.Second
	maxRetryAfter = 300 * time.Second
)

// backOff is how long to wait after a try that failed: 100 ms, 200 ms, … up to 10 s, of which half is chance; added to
// what the endpoint asked for, so that clients do not come back as one wave.
func (s *sender) backOff(tries int, retryAfter time.Duration) time.Duration {
	// More doublings would only overflow.
	wait := min(firstBackOff<<min(tries, 10), maxBackOff)
	wait = wait/2 + time.Duration(s.host.chance()*float64(wait/2))
	return retryAfter + wait
}

// retryAfterOf reads Retry-After, in seconds or as a date; at most 300 s.
func retryAfterOf(header http.Header, now time.Time) time.Duration {
	given := header.Get("Retry-After")
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(given, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(given); err == nil {
		wait = date.Sub(now)
	}
	return max(0, min(wait, maxRetryAfter))
}
