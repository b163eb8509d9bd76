package semconv

// xrayRows: the blocks of an X-Ray segment document, flattened with dots (AWS
// X-Ray developer guide, "Segment documents"). aws.service is the name of a
// subsegment of the namespace aws.
var xrayRows = []row{
	{key: "http.request.url", to: fullURL},
	{key: "http.response.status", to: status},
	{key: "http.request.user_agent", to: userAgent},
	{key: "aws.service", to: upstreamName, on: client}, // where no URL tells the endpoint
	{key: "sql.database_type", to: dbSystem},
	{key: "sql.sanitized_query", to: dbStatement},
}
