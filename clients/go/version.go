package hookline

const (
	// Version of this library.
	Version = "0.1.0"

	libraryName = "hookline-go"
	userAgent   = libraryName + "/" + Version
)
