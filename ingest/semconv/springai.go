package semconv

// springaiFamily: Spring AI (spring-ai ToolCallingObservationDocumentation.java).
var springaiFamily = family{
	rank: 73,
	rows: []row{
		{key: "spring.ai.tool.name", to: tool},
	},
	keys: []keyRow{
		{key: "spring.ai.tool.call.id", tools: true},
	},
}
