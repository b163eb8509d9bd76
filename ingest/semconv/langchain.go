package semconv

// langchainFamily: LangChain's clients.
var langchainFamily = family{
	rank: 173,
	clients: []clientRow{
		{prefix: "langchainjs-openai", name: "langchainjs-openai", retries: true, wraps: true}, // @langchain/openai: maxRetries 0 for the client,
	},
}
