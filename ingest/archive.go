package ingest

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
)

// maxArchives bounds how many archives may be in each other.
const maxArchives = 2

// The kinds of archives.
const (
	tarKind = "tar"
	zipKind = "zip"
)

// archiveKind tells an archive by its beginning.
func archiveKind(stream *bufio.Reader) string {
	head, _ := stream.Peek(512)
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return zipKind
	case len(head) > 262 && string(head[257:262]) == "ustar": // POSIX.1-1988, GNU
		return tarKind
	}
	return ""
}

// archive reads the members of an archive that u unpacked.
func (rd *reading) archive(kind string, u *unpacker, stream *bufio.Reader, path string) {
	before := len(rd.infos)
	layers := append(slices.Clone(u.layers), kind)
	err := errors.New("archives in archives in archives; want at most two levels")
	depth := 0
	for _, l := range layers {
		if l == tarKind || l == zipKind {
			depth++
		}
	}
	if depth <= maxArchives {
		if kind == tarKind {
			err = rd.tar(u, stream, path, layers)
		} else {
			err = rd.zip(u, stream, path, layers)
		}
	}
	u.layers = layers
	if err == nil && len(rd.infos) == before {
		rd.infos = append(rd.infos, Info{Path: path, Compression: u.compression(), Foreign: true, Err: fmt.Errorf("%s: a %s archive without files; want some with traces", path, kind)})
	}
	damaged := (*damage)(nil)
	switch {
	case err == nil:
	case len(rd.infos) > before && errors.As(err, &damaged):
		// As with any packed content: what came before the damage is used.
		last := &rd.infos[len(rd.infos)-1]
		if n := len(last.Problems); n == 0 || !strings.Contains(last.Problems[n-1].Reason, err.Error()) {
			last.Problems = append(last.Problems, Problem{Reason: fmt.Sprintf("%v; the archive is not read from here on", err)})
		}
	default:
		rd.infos = append(rd.infos, Info{Path: path, Compression: u.compression(), Err: fmt.Errorf("%s: %w", path, err)})
	}
}

func (rd *reading) tar(u *unpacker, stream *bufio.Reader, path string, layers []string) error {
	r := tar.NewReader(stream)
	for !rd.ended {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return u.damage(tarKind, err)
		}
		if !slices.Contains([]byte{tar.TypeReg, tar.TypeCont, tar.TypeGNUSparse}, h.Typeflag) || isHidden(h.Name) {
			continue
		}
		rd.input(&limited{u: u, r: r, name: tarKind, counted: true}, member(path, h.Name), layers)
	}
	return nil
}

func (rd *reading) zip(u *unpacker, stream *bufio.Reader, path string, layers []string) error {
	at, size, err := rd.spool(u, stream)
	if err != nil {
		return err
	}
	defer at.Close()
	if n := directorySize(at, size); n > int64(rd.opt.MaxMessage) {
		return fmt.Errorf("a directory of %d bytes in the zip archive; want at most %d (MaxMessage)", n, rd.opt.MaxMessage)
	}
	r, err := zip.NewReader(at, size)
	if err != nil {
		return u.damage(zipKind, err)
	}
	for _, f := range r.File {
		if rd.ended {
			return nil
		}
		if f.FileInfo().IsDir() || isHidden(f.Name) {
			continue
		}
		name := member(path, f.Name)
		content, err := f.Open()
		if err == nil && f.Flags&1 != 0 {
			err = errors.New("encrypted; want it without a password")
		}
		if err != nil {
			rd.infos = append(rd.infos, Info{Path: name, Compression: zipKind, Err: fmt.Errorf("%s: %w", name, err)})
			continue
		}
		rd.input(&limited{u: u, r: content, name: zipKind}, name, layers)
		content.Close()
	}
	return nil
}

// directorySize returns how many bytes the directory of a zip archive has, which
// is held as a whole; 0 if there is none (APPNOTE.TXT 4.3.14 to 4.3.16).
func directorySize(r io.ReaderAt, size int64) int64 {
	const (
		endSize    = 22 // of the end of central directory record, without its comment
		maxComment = 1 << 16
		locator    = 20 // of the zip64 locator before it
	)
	tail := make([]byte, min(size, endSize+maxComment+locator))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return 0
	}
	end := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if end < 0 || len(tail)-end < endSize {
		return 0
	}
	n := int64(binary.LittleEndian.Uint32(tail[end+12:]))
	if n != 1<<32-1 || end < locator || !bytes.HasPrefix(tail[end-locator:], []byte("PK\x06\x07")) {
		return n
	}
	var record [56]byte
	at := binary.LittleEndian.Uint64(tail[end-locator+8:])
	if at > uint64(size) {
		return 0
	}
	if _, err := r.ReadAt(record[:], int64(at)); err != nil {
		return 0
	}
	if n := binary.LittleEndian.Uint64(record[40:]); n < 1<<62 {
		return int64(n)
	}
	return 1 << 62
}

// spooled is a file that is gone when it is closed.
type spooled struct{ *os.File }

func (s spooled) Close() error {
	err := s.File.Close()
	if removed := os.Remove(s.Name()); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// spool puts a stream into a temporary file, as a zip is read from its end.
func (rd *reading) spool(u *unpacker, stream *bufio.Reader) (spooled, int64, error) {
	f, err := os.CreateTemp("", "retryaudit-*.zip")
	if err != nil {
		return spooled{}, 0, err
	}
	s := spooled{f}
	// Where an open file may go, it goes now: nothing is left when the program
	// is stopped. Elsewhere Close removes it.
	_ = os.Remove(f.Name())
	size, err := io.Copy(f, io.LimitReader(stream, rd.left+1))
	if err == nil && size > rd.left {
		err = errAbove(rd.opt.MaxDecompressed)
	}
	if err != nil {
		s.Close()
		return spooled{}, 0, err
	}
	return s, size, nil
}

// member is the path of a file in an archive, as it is shown.
func member(archive, name string) string {
	return archive + "!" + strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, name)
}

// isHidden reports whether a member is left out, as below a folder: what a
// system keeps beside the files of its users.
func isHidden(name string) bool {
	for _, part := range strings.Split(path.Clean("/"+name), "/") {
		if strings.HasPrefix(part, ".") || part == "__MACOSX" {
			return true
		}
	}
	return false
}
