package hookline

import (
	"log"
	"os"
	"slices"
	"strings"
)

// A Logger takes lines; [log.Logger] is one.
type Logger interface {
	Printf(format string, args ...any)
}

func standardError() Logger {
	return log.New(os.Stderr, "hookline: ", log.LstdFlags)
}

// isDebugging tells whether DEBUG names this library, alone or in a list.
func isDebugging() bool {
	names := strings.FieldsFunc(os.Getenv("DEBUG"), func(r rune) bool { return r == ',' || r == ' ' })
	return slices.Contains(names, "analytics") || slices.Contains(names, "*")
}
