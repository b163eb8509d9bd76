package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// session runs the tests over the mutants of one package.
type session struct {
	dir      string // of the overlay and the test binaries
	sites    []Site
	units    []unit // in the order in which they run
	killed   []bool // by site
	progress io.Writer
}

// unit is what runs by itself: a test, or one of its subtests where it is slow.
type unit struct {
	binary, in string // the test binary and the folder that it runs in
	pattern    string // for -test.run
	took       time.Duration
	reaches    map[int]bool // site numbers
}

// slow is the time from which on a test is run by its subtests, which mostly
// reach fewer sites each.
const slow = 300 * time.Millisecond

// prepare builds the tests of packages and runs each once as the code is. The
// quick ones are to come first, but those of the first package before others.
func (s *session) prepare(packages []string) error {
	first := 0
	for i, folder := range packages {
		binary := filepath.Join(s.dir, fmt.Sprintf("%d.test", i))
		if _, err := output(exec.Command("go", "test", "-c", "-vet=off", "-overlay", filepath.Join(s.dir, "overlay.json"), "-o", binary, "./"+folder)); err != nil {
			return err
		}
		names := exec.Command(binary, "-test.list", "^(Test|Fuzz|Example)")
		names.Dir = folder
		list, err := output(names)
		if err != nil {
			return err
		}
		var units []unit
		for _, name := range strings.Fields(list) {
			u := unit{binary: binary, in: folder, pattern: "^" + name + "$"}
			subtests, err := s.try(&u)
			if err != nil {
				return err
			}
			if u.took > slow {
				units = append(units, s.split(u, subtests)...)
			} else {
				units = append(units, u)
			}
		}
		if i <= 1 {
			first = len(s.units)
		}
		s.units = append(s.units, units...)
		slices.SortStableFunc(s.units[first:], func(a, b unit) int { return cmp.Compare(a.took, b.took) })
	}
	return nil
}

// split returns the subtests of a unit, or itself if one fails alone.
func (s *session) split(u unit, subtests []string) []unit {
	var parts []unit
	for _, name := range subtests {
		part := unit{binary: u.binary, in: u.in, pattern: u.pattern + "/^" + regexp.QuoteMeta(name) + "$"}
		if _, err := s.try(&part); err != nil {
			return []unit{u}
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return []unit{u}
	}
	return parts
}

// try runs a unit on the code as it is, notes what it reaches and how long it
// takes, and returns the names of its subtests.
func (s *session) try(u *unit) (subtests []string, err error) {
	path := filepath.Join(s.dir, "reached")
	os.Remove(path)
	c := u.command("-test.v")
	c.Env = append(os.Environ(), reachedVar+"="+path)
	begun := time.Now()
	out, err := output(c)
	if err != nil {
		return nil, fmt.Errorf("the tests fail without a mutant: %w", err)
	}
	u.took = time.Since(begun)
	u.reaches = map[int]bool{}
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for _, n := range strings.Fields(string(text)) {
		site, err := strconv.Atoi(n)
		if err != nil {
			return nil, err
		}
		u.reaches[site] = true
	}
	for line := range strings.Lines(out) {
		_, name, isRun := strings.Cut(strings.TrimSpace(line), "=== RUN ")
		_, sub, isSub := strings.Cut(name, "/")
		if sub, _, _ := strings.Cut(sub, "/"); isRun && isSub && !slices.Contains(subtests, sub) {
			subtests = append(subtests, sub)
		}
	}
	return subtests, nil
}

// maxKilobytes bounds the address space of a test: a mutant may allocate without
// end.
const maxKilobytes = 6 << 20

// command is the call of a unit's test binary.
func (u *unit) command(args ...string) *exec.Cmd {
	script := fmt.Sprintf(`ulimit -v %d 2>/dev/null; exec "$@"`, maxKilobytes)
	binary := append([]string{"-c", script, "sh", u.binary, "-test.failfast", "-test.run", u.pattern}, args...)
	c := exec.Command("sh", binary...)
	c.Dir = u.in
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

// fails reports whether a unit fails with a mutant, or does not end.
func (u *unit) fails(site int) bool {
	c := u.command()
	c.Env = append(os.Environ(), chosenVar+"="+strconv.Itoa(site))
	if err := c.Start(); err != nil {
		return false
	}
	limit := time.AfterFunc(10*u.took+time.Second, func() { syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	defer limit.Stop()
	return c.Wait() != nil
}

// run finds for each site whether a unit fails.
func (s *session) run(workers int) {
	s.killed = make([]bool, len(s.sites))
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				for k := range s.units {
					if u := &s.units[k]; u.reaches[i+1] && u.fails(i+1) {
						s.killed[i] = true
						break
					}
				}
			}
		})
	}
	for i := range s.sites {
		if i%100 == 0 && i > 0 {
			fmt.Fprintf(s.progress, "mutate: %d of %d\n", i, len(s.sites))
		}
		next <- i
	}
	close(next)
	wg.Wait()
}

// reached reports whether any unit reaches a site.
func (s *session) reached(i int) bool {
	return slices.ContainsFunc(s.units, func(u unit) bool { return u.reaches[i+1] })
}
