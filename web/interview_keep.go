package web

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"effectivelyonce/quizzes"
)

// Bounds of what is written to open questions.
const (
	maxOpen  = 12_000       // bytes of one answer
	maxRunes = 3_000        // characters of one answer, as its field allows
	roomOpen = maxURL - 400 // characters of an address that holds them; the rest is for a ticket
)

// packWords makes own words short enough for an address: compressed, and in an
// alphabet that a query needs not encode. Three thousand Cyrillic letters would be
// eighteen thousand characters there; packed they are some three thousand.
func packWords(words string) string {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return ""
	}
	_, _ = w.Write([]byte(words)) // a buffer takes everything
	_ = w.Close()
	return base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// unpackWords reads them, and never more than an answer may hold.
func unpackWords(packed string) (string, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(packed)
	if err != nil {
		return "", false
	}
	out, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(raw)), maxOpen+1))
	if err != nil || len(out) > maxOpen || !utf8.Valid(out) || utf8.RuneCount(out) > maxRunes {
		return "", false
	}
	return string(out), true
}

// readWords reads w=NUMBER:PACKED, what was written to the open questions.
func (st *interviewState) readWords(values []string) error {
	for _, x := range values {
		num, packed, ok := strings.Cut(x, ":")
		n, err := strconv.Atoi(num)
		if err != nil || !ok || n < 1 || n > len(st.Plan) {
			return bad("w", clipped(x, 60), "NUMBER:WORDS of a question of the plan")
		}
		if st.Words[n], ok = unpackWords(packed); !ok {
			return bad("w", clipped(x, 60), "words that this page has packed, of at most "+strconv.Itoa(maxRunes)+" characters")
		}
	}
	return nil
}

// keepWords takes what was written to the question of this page, and reports whether
// the address has room for it beside what it holds already.
func (st *interviewState) keepWords(words string) bool {
	delete(st.Words, st.Now)
	if words == "" {
		return true
	}
	st.Words[st.Now] = words
	if len(st.href(st.Now)) <= roomOpen {
		return true
	}
	delete(st.Words, st.Now)
	return false
}

// keptWords says of an open question what is not kept; "" all is.
func (p *interviewPage) keptWords() string {
	v := p.View
	if v == nil || v.Question.Kind != quizzes.Open || !v.compared() || p.Words[p.Now] != "" {
		return ""
	}
	if v.Grade != nil {
		return fmt.Sprintf("Your own words to this question are not kept. An address holds at most %d characters, and they did not fit beside the others, or nothing was written.", maxURL)
	}
	return fmt.Sprintf("There is no room for your own words: an address holds at most %d characters. They stay in the field until you leave this page. Copy them if you want to keep them.", maxURL)
}

// usedWords says how much of the time was used, up to the last answer.
func (p *interviewPage) usedWords() string {
	if p.Until <= p.Since || p.Since == 0 {
		return ""
	}
	return fmt.Sprintf("Time used, up to the last answer: %s of %d.", count(int(cmp.Or((p.Until-p.Since+30)/60, 1)), "minute", "minutes"), p.Minutes)
}
