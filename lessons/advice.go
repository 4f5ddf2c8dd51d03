package lessons

import "strings"

// advice is what to do about a problem whose finder did not say: many errors come
// from parts that know what is allowed and not where their text stands.
func advice(what, do string) string {
	switch {
	case do != "":
		return do
	case strings.Contains(what, "allowed: "), strings.Contains(what, "did you mean"):
		return "" // it is said
	case strings.Contains(what, "cannot be read"):
		return "let this program read it, or take it away"
	}
	return "correct it; `server run SCENARIO` prints the events and records that there are"
}
