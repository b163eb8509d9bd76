// Package user tests tiny from outside.
package user

import (
	"testing"

	"github.com/retryaudit/retryaudit/cmd/tools/mutate/testdata/tiny"
)

func TestBoth(t *testing.T) {
	if tiny.Both(true, false, false) {
		t.Error("one of two is both")
	}
}
