package semconv

import (
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// genaiFamily: the GenAI conventions (semantic-conventions-genai) and what they
// deprecated (semantic-conventions model/gen-ai/deprecated).
var genaiFamily = family{
	rank: 30,
	rows: []row{
		{key: "gen_ai.operation.name", to: operation},
		{key: "gen_ai.request.model", to: model},
		{key: "gen_ai.provider.name", to: provider},
		{key: "gen_ai.system", to: provider},
		{key: "gen_ai.agent.name", to: agentName},
		{key: "gen_ai.tool.name", to: tool},
		{key: "gen_ai.tool.call.arguments", to: toolArgs},
		{key: "gen_ai.input.messages", to: input},
		{key: "gen_ai.prompt", to: input},
		{key: "gen_ai.usage.input_tokens", to: inTokens},
		{key: "gen_ai.usage.prompt_tokens", to: inTokens},
		{key: "gen_ai.usage.output_tokens", to: outTokens},
		{key: "gen_ai.usage.completion_tokens", to: outTokens},
		{key: "gen_ai.response.finish_reasons", to: finish},
		{key: "gen_ai.response.finish_reason", to: finish}, // Semantic Kernel, Bifrost
		{key: "gen_ai.response.id", to: answerID},
		{key: "gen_ai.request.stream", to: streaming},
		{key: "gen_ai.response.time_to_first_chunk", to: firstSeconds},
		{key: "gen_ai.client.operation.time_to_first_chunk", to: firstSeconds}, // Pydantic AI, AI SDK 7
		{key: "gen_ai.conversation.id", to: session},
		{key: "session.id", to: session},
		{key: "gen_ai.tool.definitions", to: toolsOffered},
		{key: "gen_ai.output.type", to: outputType},
		{key: "gen_ai.error.code", to: errorCode}, // Bifrost core/schemas/trace.go
		{key: "gen_ai.error.type", to: errorCode},
		{key: "gen_ai.error", to: errorText},
	},
	operations: map[string]meaning{
		"chat":             {task: generate},
		"text_completion":  {task: generate},
		"generate_content": {task: generate},
		"embeddings":       {task: embed},
		"rerank":           {task: rerank},
		"execute_tool":     {tool: true},
		"invoke_agent":     {agent: true},
		"create_agent":     {layer: trace.Agent},
		"invoke_workflow":  {layer: trace.Agent},
		"plan":             {layer: trace.Agent},
	},
	events: map[string]eventUse{
		"gen_ai.system.message":    inputEvent,
		"gen_ai.user.message":      inputEvent,
		"gen_ai.assistant.message": inputEvent,
		"gen_ai.tool.message":      inputEvent,
	},
	keys: []keyRow{
		{key: "gen_ai.tool.call.id", tools: true}, // semantic-conventions-genai: an ID twice is a replay by the runtime
	},
}

// meaning is what an operation is for: one of a task, a tool and an agent.
type meaning struct {
	task        task
	tool, agent bool
	stream      bool
	layer       trace.Layer // 0: the scope decides
}

// A nameRow reads the meaning of a span from how its name begins, where
// attributes do not tell.
type nameRow struct {
	prefix string
	is     meaning
}

// namedBy are the fields with which a nameRow counts: without any of them a
// span of such a name is something of the application's own.
var namedBy = []field{model, provider, agentName, tool, toolArgs, input, inTokens}

// meaning returns what the span does in terms of models, tools and agents.
func (n *Normalizer) meaning() meaning {
	if v := n.at[operation]; v != nil {
		s, _, _ := strings.Cut(text(v), " ")
		if m, ok := operations[s]; ok {
			return m
		}
	}
	if v := n.at[spanKind]; v != nil {
		return spanKinds[text(v)]
	}
	some := false
	for _, f := range namedBy {
		some = some || n.at[f] != nil
	}
	if !some {
		if n.record.Name == "litellm_request" || n.record.Name == "gen_ai.request.attempt" || strings.HasPrefix(n.record.Name, "claude_code.") || strings.HasPrefix(n.record.Scope, "com.anthropic.") {
			some = true
		}
	}
	if some {
		for _, r := range nameRows {
			if strings.HasPrefix(n.record.Name, r.prefix) {
				return r.is
			}
		}
	}
	// A model named, no other operation: the spans of home-made wrappers.
	if n.at[model] != nil && n.at[operation] == nil && !n.isHTTP() && n.kind&(client|internal) != 0 {
		return meaning{task: generate}
	}
	return meaning{}
}

// asksModel marks the span as one that asks a model.
func (n *Normalizer) asksModel(t task) {
	n.span.Ask = n.store.Sym(string(t))
	n.span.Flags |= trace.ModelAsk
}

// finishRow says what a reason to finish means.
type finishRow struct {
	final bool        // an answer in full, no tool call
	class trace.Class // the answer is a failure in spite of its status 200
}

// finishReasons: OpenAI, Anthropic, Gemini, Bedrock, AI SDK; error-classes
// sections 3 and 9.
var finishReasons = map[string]finishRow{
	"stop":                 {final: true},
	"end_turn":             {final: true},
	"stop_sequence":        {final: true},
	"STOP":                 {final: true},
	"completed":            {final: true},
	"COMPLETE":             {final: true},
	"refusal":              {class: trace.Safety},
	"content_filter":       {class: trace.Safety},
	"content-filter":       {class: trace.Safety},
	"content_filtered":     {class: trace.Safety},
	"guardrail_intervened": {class: trace.Safety},
	"SAFETY":               {class: trace.Safety},
	"RECITATION":           {class: trace.Safety},
	"BLOCKLIST":            {class: trace.Safety},
	"PROHIBITED_CONTENT":   {class: trace.Safety},
	"SPII":                 {class: trace.Safety},
	"error":                {class: trace.UnknownError},
}

// visionMarks are parts of prompts with images: the content parts of OpenAI,
// Anthropic and the AI SDK, Gemini's, and those of gen_ai.input.messages.
var visionMarks = []string{`"image_url"`, `"type":"image"`, `"type": "image"`, `"input_image"`, `"mime_type":"image/`, `"mimeType":"image/`, `"modality":"image"`}

// schemaMarks are parts of invocation parameters that ask for an answer by a
// JSON Schema: OpenAI's response_format, Gemini's.
var schemaMarks = []string{`"json_schema"`, `"response_schema"`, `"responseSchema"`}

// needs returns what the request needs of a model.
func (n *Normalizer) needs() trace.Ability {
	var a trace.Ability
	if n.at[toolsOffered] != nil {
		a |= trace.Tools
	}
	if n.at[schemaAsked] != nil || text(n.at[outputType]) == "json" || containsAny(text(n.at[invocation]), schemaMarks) {
		a |= trace.Schema
	}
	if n.span.Flags&trace.ModelAsk != 0 {
		// Prompts are long: one pass for what all marks have in common.
		if s := text(n.at[input]); strings.Contains(s, "image") && containsAny(s, visionMarks) {
			a |= trace.Vision
		}
	}
	return a
}

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if s != "" && strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// A providerRow tells a provider by what its name, its host, its models or the
// texts of its errors look like. All in lower case.
type providerRow struct {
	family string
	names  []string // prefixes of gen_ai.provider.name and its like
	hosts  []string // ends of the callee's host
	models []string // prefixes
	texts  []string // parts of an error text
}

// providerRows: gen_ai.provider.name and gen_ai.system values of the
// conventions and of vendors; hosts from the providers' API references. What
// resells stands before what it resells.
var providerRows = []providerRow{
	{family: "azure", names: []string{"azure", "az.ai"}, hosts: []string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com", ".inference.ai.azure.com"}, texts: []string{"azureexception", "azure openai"}},
	{family: "openrouter", names: []string{"openrouter"}, hosts: []string{"openrouter.ai"}, texts: []string{"openrouter"}},
	{family: "bedrock", names: []string{"aws.bedrock", "bedrock", "amazon-bedrock", "aws_bedrock"}, hosts: []string{".amazonaws.com"}, texts: []string{"bedrockexception"}},
	{family: "google", names: []string{"gcp", "gemini", "google", "vertex"}, hosts: []string{".googleapis.com"}, models: []string{"gemini-"}, texts: []string{"generativelanguage.googleapis.com", "vertexaiexception", "vertex_ai", "geminiexception", "google.rpc."}},
	{family: "anthropic", names: []string{"anthropic"}, hosts: []string{"api.anthropic.com"}, models: []string{"claude-"}, texts: []string{"anthropicexception"}},
	{family: "dashscope", names: []string{"dashscope", "alibaba", "aliyun", "qwen", "tongyi"}, hosts: []string{"dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", ".maas.aliyuncs.com"}, models: []string{"qwen"}, texts: []string{"dashscope", "allocated quota exceeded"}},
	{family: "zhipu", names: []string{"zhipu", "zai", "z.ai", "bigmodel", "glm"}, hosts: []string{"bigmodel.cn", "api.z.ai"}, models: []string{"glm-"}},
	{family: "moonshot", names: []string{"moonshot", "kimi"}, hosts: []string{"api.moonshot.cn", "api.moonshot.ai"}, models: []string{"moonshot-", "kimi-"}},
	{family: "volcengine", names: []string{"volcengine", "byteplus", "doubao", "ark"}, hosts: []string{".volces.com", ".bytepluses.com"}, models: []string{"doubao-"}},
	{family: "baidu", names: []string{"baidu", "qianfan", "wenxin"}, hosts: []string{"qianfan.baidubce.com", "aip.baidubce.com"}, models: []string{"ernie-"}},
	{family: "minimax", names: []string{"minimax"}, hosts: []string{"api.minimax.chat", "api.minimaxi.com", "api.minimax.io"}, models: []string{"minimax-", "abab"}},
	{family: "tencent", names: []string{"tencent", "hunyuan"}, hosts: []string{".tencentcloudapi.com", "api.hunyuan.cloud.tencent.com"}, models: []string{"hunyuan-"}},
	{family: "siliconflow", names: []string{"siliconflow"}, hosts: []string{"api.siliconflow.cn", "api.siliconflow.com"}},
	{family: "iflytek", names: []string{"iflytek", "spark", "xunfei"}, hosts: []string{".xf-yun.com"}},
	{family: "together", names: []string{"together"}, hosts: []string{"api.together.xyz", "api.together.ai"}},
	{family: "fireworks", names: []string{"fireworks"}, hosts: []string{"api.fireworks.ai"}},
	{family: "groq", names: []string{"groq"}, hosts: []string{"api.groq.com"}, texts: []string{"groqexception"}},
	{family: "mistral", names: []string{"mistral"}, hosts: []string{"api.mistral.ai"}, models: []string{"mistral-"}},
	{family: "cohere", names: []string{"cohere"}, hosts: []string{"api.cohere.com", "api.cohere.ai"}, models: []string{"command-"}},
	{family: "deepseek", names: []string{"deepseek"}, hosts: []string{"api.deepseek.com"}, models: []string{"deepseek-"}, texts: []string{"deepseekexception"}},
	{family: "xai", names: []string{"xai", "x_ai"}, hosts: []string{"api.x.ai"}, models: []string{"grok-"}},
	{family: "perplexity", names: []string{"perplexity"}, hosts: []string{"api.perplexity.ai"}},
	{family: "openai", names: []string{"openai"}, hosts: []string{"api.openai.com"}, models: []string{"gpt-", "o1", "o3", "o4", "text-embedding-"}, texts: []string{"openaiexception"}},
}

// providerName returns the family of a provider's name, else the name itself
// in lower case.
func (n *Normalizer) providerName(name string) string {
	if name == "" {
		return ""
	}
	if s, ok := n.providers[name]; ok {
		return s
	}
	name = strings.Clone(name)
	lower := strings.ToLower(name)
	family := lower
	for _, r := range providerRows {
		if anyPrefix(lower, r.names) {
			family = r.family
			break
		}
	}
	return remember(n.providers, name, family)
}

// familyByHost returns the family that the callee's host gives away, else "".
func (n *Normalizer) familyByHost(host string) string {
	if host == "" {
		return ""
	}
	if f, ok := n.hosts[host]; ok {
		return f
	}
	family := ""
	for _, r := range providerRows {
		for _, h := range r.hosts {
			if family == "" && strings.HasSuffix(host, h) {
				family = r.family
			}
		}
	}
	return remember(n.hosts, strings.Clone(host), family)
}

// familyByModel returns the family that makes a model, else "".
func (n *Normalizer) familyByModel(name string) string {
	if name == "" {
		return ""
	}
	if f, ok := n.models[name]; ok {
		return f
	}
	family := ""
	bare := strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	for _, r := range providerRows {
		if family == "" && anyPrefix(bare, r.models) {
			family = r.family
		}
	}
	return remember(n.models, strings.Clone(name), family)
}

// familyByText returns the family that an error text in lower case names.
func familyByText(lower string) string {
	for _, r := range providerRows {
		for _, t := range r.texts {
			if strings.Contains(lower, t) {
				return r.family
			}
		}
	}
	return ""
}

func anyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// indexedInputs are the beginnings of names that hold one message each:
// gen_ai.prompt.N.content (openllmetry), llm.input_messages.N.message.content
// (OpenInference).
var indexedInputs = []string{"gen_ai.prompt.", "llm.input_messages."}

// indexed takes in an attribute that no row names.
func (n *Normalizer) indexed(a *record.Attr) {
	if !strings.HasSuffix(a.Key, "content") {
		return
	}
	for _, p := range indexedInputs {
		if strings.HasPrefix(a.Key, p) {
			// A sum, since attributes come in any order.
			n.messages += n.hash(a.Key) ^ n.hash(text(&a.Value))
			return
		}
	}
}
