// Retryaudit reads OpenTelemetry traces and says who retried, how many
// upstream calls that made, whether they should have, and which setting to
// change.
package main

import (
	"context"
	"os"
)

func main() {
	c := command{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ()}
	os.Exit(c.Run(context.Background(), os.Args[1:]))
}
