// Package report writes a Report in the formats that people and machines read.
// Each format is one pure function of the Report: it knows no clock, terminal
// or environment, so equal reports give equal bytes.
package report
