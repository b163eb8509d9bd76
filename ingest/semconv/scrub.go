package semconv

import "strings"

// hiddenText stands for a secret in what is kept.
const hiddenText = "***"

// secretPrefixes begin the keys and tokens of providers: OpenAI, Anthropic and
// Stripe (sk-, sk_), Google (AIza), GitHub, Slack, AWS, Hugging Face, Groq,
// Replicate, xAI, and JSON Web Tokens.
var secretPrefixes = []string{
	"sk-", "sk_", "pk_live", "rk_live", "AIza", "ghp_", "gho_", "ghs_", "github_pat_", "xoxb-", "xoxp-", "AKIA", "ASIA",
	"hf_", "gsk_", "r8_", "xai-", "eyJ", "bot",
}

// secretNames stand before a secret and one of "=", ":" or a space.
var secretNames = []string{"bearer", "authorization", "api_key", "apikey", "api-key", "access_token", "token", "password", "secret", "key", "sig", "signature"}

// scrub replaces what looks like a secret: a token of a known form, a token
// behind a telling name, a long token of mixed letters and digits. Texts with
// none are returned as they are.
func scrub(s string) string {
	var out strings.Builder
	done, after := 0, false
	for i := 0; i < len(s); {
		if !tokenByte(s[i]) {
			i++
			continue
		}
		end := i
		for end < len(s) && tokenByte(s[end]) {
			end++
		}
		token := s[i:end]
		if isSecret(token) || after && len(token) >= 6 {
			out.WriteString(s[done:i])
			out.WriteString(hiddenText)
			done = end
		}
		// A bot's token follows its number: /bot123456789:secret/.
		after = strings.HasPrefix(token, "bot") && isSecret(token) || end < len(s) && strings.IndexByte("=: ", s[end]) >= 0 && isSecretName(token, s[end])
		i = end
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// scrubPath is scrub for a path, whose query is cut off.
func scrubPath(p string) string {
	p, _, _ = strings.Cut(p, "?")
	return scrub(p)
}

func tokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c >= 0x80
}

func isSecretName(token string, next byte) bool {
	for _, name := range secretNames {
		if strings.EqualFold(token, name) {
			return next != ' ' || name == "bearer" || name == "authorization"
		}
	}
	return false
}

func isSecret(token string) bool {
	if len(token) < 10 {
		return false
	}
	var lower, upper, digit, numbers int
	for i := 0; i < len(token); i++ {
		switch c := token[i]; {
		case 'a' <= c && c <= 'z':
			lower++
		case 'A' <= c && c <= 'Z':
			upper++
		case '0' <= c && c <= '9':
			digit++
			if i == 0 || token[i-1] < '0' || token[i-1] > '9' {
				numbers++
			}
		}
	}
	// 32 and more characters of all kinds, with digits in several places, are
	// no name.
	if len(token) >= 32 && lower > 4 && upper > 4 && numbers > 2 {
		return true
	}
	for _, p := range secretPrefixes {
		if !strings.HasPrefix(token, p) {
			continue
		}
		if p == "bot" { // Telegram: /bot123456789:secret/
			return digit == len(token)-len(p)
		}
		return len(token) >= 16 && digit > 0
	}
	return false
}
