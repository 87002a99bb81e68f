// Package latency keeps every time that was measured, so that percentiles are exact.
package latency

import "slices"

// Summary is what the times kept come to, in milliseconds.
type Summary struct {
	Count  int     `json:"count"`
	P50Ms  float64 `json:"p50Ms"`
	P90Ms  float64 `json:"p90Ms"`
	P99Ms  float64 `json:"p99Ms"`
	P999Ms float64 `json:"p999Ms"`
	MaxMs  float64 `json:"maxMs"`
}

// Times is ready as its zero value.
type Times struct {
	micros []int32
}

// Add keeps one time, at most 35 minutes.
func (t *Times) Add(micros int64) {
	t.micros = append(t.micros, int32(micros))
}

// Take gives what was added since it was last asked.
func (t *Times) Take() Times {
	taken := *t
	t.micros = make([]int32, 0, cap(taken.micros))
	return taken
}

// Summary takes a while where there are many.
func (t Times) Summary() Summary {
	slices.Sort(t.micros)
	return Summary{
		Count:  len(t.micros),
		P50Ms:  t.percentile(50_00),
		P90Ms:  t.percentile(90_00),
		P99Ms:  t.percentile(99_00),
		P999Ms: t.percentile(99_90),
		MaxMs:  t.percentile(100_00),
	}
}

// By the nearest rank, of sorted times: the least time that this many of ten thousand are not above. 0 of none.
func (t Times) percentile(ofTenThousand int) float64 {
	if len(t.micros) == 0 {
		return 0
	}
	rank := (len(t.micros)*ofTenThousand + 9_999) / 10_000
	return float64(t.micros[max(rank, 1)-1]) / 1000
}
