package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// xrayFamily: the blocks of an X-Ray segment document, flattened with dots (AWS
// X-Ray developer guide, "Segment documents"). aws.service is the name of a
// subsegment of the namespace aws.
var xrayFamily = family{
	rank: 100,
	rows: []row{
		{key: "http.request.url", to: fullURL},
		{key: "http.response.status", to: status},
		{key: "http.request.user_agent", to: userAgent},
		{key: "aws.service", to: upstreamName, on: client}, // where no URL tells the endpoint
		{key: "sql.database_type", to: dbSystem},
		{key: "sql.sanitized_query", to: dbStatement},
	},
	outcomes: []outcomeRow{
		{key: "throttle", value: "true", is: trace.Failed, class: trace.RateLimit}, // AWS X-Ray segment documents: a 429 or a throttling exception
	},
}
