package semconv

import (
	"strings"

	otel "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// databaseFamily: database conventions 1.43 with their old names.
var databaseFamily = family{
	rank: 150,
	rows: []row{
		{key: otel.DBSystemNameKey, to: dbSystem},
		{key: "db.system", to: dbSystem},
		{key: otel.DBOperationNameKey, to: dbOperation},
		{key: "db.operation", to: dbOperation},
		{key: otel.DBQueryTextKey, to: dbStatement},
		{key: "db.statement", to: dbStatement},
		{key: otel.DBResponseStatusCodeKey, to: errorCode},
	},
}

// readStatements are the database operations that only read: SQL, Redis,
// MongoDB.
var readStatements = map[string]bool{
	"select": true, "show": true, "explain": true, "find": true, "aggregate": true, "count": true, "distinct": true,
	"get": true, "mget": true, "hget": true, "hmget": true, "hgetall": true, "exists": true, "scan": true,
	"zrange": true, "lrange": true, "smembers": true, "ttl": true, "keys": true, "query": true, "getitem": true,
}

// databaseAsk fills in what a database client wants, and reports whether the
// span is one.
func (n *Normalizer) databaseAsk() bool {
	system := text(n.at[dbSystem])
	if system == "" {
		return false
	}
	op := text(n.at[dbOperation])
	if op == "" { // the first word of a statement is its operation
		op, _, _ = strings.Cut(strings.TrimSpace(text(n.at[dbStatement])), " ")
		if len(op) > 16 {
			op = ""
		}
	}
	n.span.Ask = n.pair(verbPath{"db " + system, op})
	if readStatements[strings.ToLower(op)] {
		n.span.Flags |= trace.ReadOnly
	}
	if statement := text(n.at[dbStatement]); statement != "" {
		n.span.ArgsHash = n.hash(statement)
	}
	return true
}
