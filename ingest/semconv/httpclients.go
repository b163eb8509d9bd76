package semconv

// httpclientsFamily: HTTP clients by their user agent.
var httpclientsFamily = family{
	rank: 171,
	clients: []clientRow{
		{prefix: "axios", name: "axios"},
		{prefix: "got ", name: "got", retries: true},
		{prefix: "got/", name: "got", retries: true},
		{prefix: "node-fetch", name: "node-fetch"},
		{prefix: "node", name: "node-fetch"}, // the fetch of Node.js itself says "node"
		{prefix: "undici", name: "undici"},
		{prefix: "python-requests", name: "python-requests"},
		{prefix: "python-httpx", name: "python-httpx"},
		{prefix: "python-urllib3", name: "urllib3"},
		{prefix: "python/", name: "aiohttp"}, // "Python/3.12 aiohttp/3.9.5"
		{prefix: "go-http-client", name: "Go-http-client"},
		{prefix: "go-retryablehttp", name: "go-retryablehttp", retries: true},
		{prefix: "okhttp", name: "okhttp"},
		{prefix: "apache-httpclient", name: "apache-httpclient"},
		{prefix: "java-http-client", name: "java-http-client"},
		{prefix: "reactornetty", name: "reactor-netty"},
		{prefix: "reqwest", name: "reqwest"},
		{prefix: "curl", name: "curl"},
		{prefix: "faraday", name: "faraday"},
		{prefix: "guzzlehttp", name: "guzzle"},
		{prefix: "kube-probe", name: "kube-probe"},
	},
}
