package main

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// progress shows how much of the input has been read. It is safe for
// concurrent use.
type progress struct {
	to      io.Writer // a terminal; nil shows nothing
	total   int64     // bytes; 0 unknown
	read    atomic.Int64
	stopped chan struct{}
	ended   sync.WaitGroup
}

// startProgress shows progress on a terminal from the first second on, until
// stop is called.
func startProgress(to io.Writer, total int64) *progress {
	p := &progress{total: total, stopped: make(chan struct{})}
	if isTerminal(to) {
		p.to = to
		p.ended.Go(p.show)
	}
	return p
}

// stop ends the display and wipes it, so that the next line starts clean.
func (p *progress) stop() {
	close(p.stopped)
	p.ended.Wait()
}

func (p *progress) show() {
	const wipe = "\r\x1b[K"
	wait := time.NewTimer(time.Second)
	defer wait.Stop()
	for shown := false; ; shown = true {
		select {
		case <-p.stopped:
			if shown {
				fmt.Fprint(p.to, wipe)
			}
			return
		case <-wait.C:
			fmt.Fprint(p.to, wipe, p.line())
			wait.Reset(200 * time.Millisecond)
		}
	}
}

func (p *progress) line() string {
	const mega = 1e6
	read := p.read.Load()
	if p.total == 0 {
		return fmt.Sprintf("retryaudit: read %.0f MB", float64(read)/mega)
	}
	const cells = 30
	full := int(min(read, p.total) * cells / p.total)
	return fmt.Sprintf("retryaudit: [%-*s] %.0f of %.0f MB", cells, bar[:full], float64(read)/mega, float64(p.total)/mega)
}

const bar = "=============================="

// reader returns r, whose bytes count as read.
func (p *progress) reader(r io.Reader) io.Reader { return &countingReader{r, p} }

type countingReader struct {
	r io.Reader
	p *progress
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.p.read.Add(int64(n))
	return n, err
}
