// Package console reads what the console exporters of OpenTelemetry's SDKs
// print: JSON of Go and Python, objects as Node.js shows them, text of .NET.
// It stands in the standard output of a program, hence between other lines;
// these are passed over and counted in one problem.
package console
