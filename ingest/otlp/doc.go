// Package otlp reads spans out of OTLP, as JSON and as protobuf, in whatever
// container its writers put it.
//
// Both decoders stream: at no time is more held than one span (JSON) or one
// ResourceSpans (protobuf). What cannot be used is skipped, counted and
// reported as a Problem; the rest is used.
package otlp
