package lessons_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/lessons"
)

func TestOwnRecordsThatCannotBeRead(t *testing.T) {
	const csv = "partition,key,value\n"
	for name, c := range map[string]struct{ text, want string }{
		"empty":             {"", `own: the input is empty; allowed: 1 to 500 records`},
		"only a header":     {csv, `own: the input is empty; allowed: 1 to 500 records`},
		"no header":         {"0,ana,12\n", `own:1: found the header "0,ana,12"; allowed: partition,key,value, or one JSON object a line`},
		"two fields":        {csv + "0,ana\n", `own:2: found 2 fields; allowed: three, partition,key,value`},
		"partition 8":       {csv + "0,ana,1\n8,ben,1\n", `own:3: field partition: found 8; allowed: a whole number from 0 to 7`},
		"partition word":    {csv + "first,ana,1\n", `own:2: field partition: found "first"; allowed: a whole number from 0 to 7`},
		"partition -1":      {csv + "-1,ana,1\n", `own:2: field partition: found -1; allowed: a whole number from 0 to 7`},
		"no key":            {csv + "0,,1\n", `own:2: field key: found nothing; allowed: 1 to 40 letters`},
		"long key":          {csv + "0," + strings.Repeat("ä", 41) + ",1\n", `own:2: field key: found 41 characters; allowed: 1 to 40`},
		"control in key":    {csv + "0,a\x07b,1\n", `own:2: field key: found the control character U+0007`},
		"direction mark":    {csv + "0,a\u202Eb,1\n", `own:2: field key: found the control character U+202E`},
		"value word":        {csv + "0,ana,much\n", `own:2: field value: found "much"; allowed: a number like 12`},
		"value decimals":    {csv + "0,ana,1.2345\n", `own:2: field value: found "1.2345" with 4 decimals; allowed: a number`},
		"value huge":        {csv + "0,ana,1000000001\n", `own:2: field value: found "1000000001"; allowed: a number like 12, -3 or 4.5, at most 3 decimals, between -1000000000 and 1000000000`},
		"value very huge":   {csv + "0,ana," + strings.Repeat("9", 400) + "\n", `own:2: field value: found "9999`},
		"value exponent":    {csv + "0,ana,1e3\n", `own:2: field value: found "1e3"`},
		"value NaN":         {csv + "0,ana,NaN\n", `own:2: field value: found "NaN"`},
		"open quote":        {csv + "0,\"ana,1\n", `own:2: column 10: extraneous or missing " in quoted-field`},
		"not UTF-8":         {csv + "0,ana,1\n0,b\xffn,1\n", `own:3: found byte 0xff, which is not UTF-8; allowed: text in UTF-8`},
		"501 records":       {csv + strings.Repeat("0,ana,1\n", 501), `own:502: record 501; allowed: at most 500 records`},
		"oversize":          {csv + strings.Repeat("0,ana,1\n", 9000), `own: more than 64 KiB; allowed: at most 64 KiB`},
		"bad time":          {"partition,key,value,time\n0,ana,1,noon\n", `own:2: field time: found "noon"; allowed: a time since the start like 40ms`},
		"three of four":     {"partition,key,value,time\n0,ana,1\n", `own:2: found 3 fields; allowed: four, partition,key,value,time`},
		"time as a number":  {`{"partition":0,"key":"ana","value":1,"time":40}`, `own:1: field time: found "40"; allowed: a time`},
		"some times":        {`{"partition":0,"key":"ana","value":1,"time":"40ms"}` + "\n" + `{"partition":0,"key":"ana","value":1}`, `own: 1 of 2 records have a time; allowed: all of them, or none`},
		"JSON array":        {`[{"partition":0}]`, `own:1: found "[{\"partition\":0}]"; allowed: one object a line`},
		"JSON unknown":      {`{"partition":0,"kye":"ana","value":1}`, `own:1: unknown field "kye"; allowed: partition, key, value, time; did you mean "key"?`},
		"JSON twice":        {`{"partition":0,"key":"a","key":"b","value":1}`, `own:1: field key occurs twice; allowed: each field once`},
		"JSON missing":      {`{"partition":0,"key":"ana"}`, `own:1: field value is missing`},
		"JSON key number":   {`{"partition":0,"key":7,"value":1}`, `own:1: field key: found "7"; allowed: a text`},
		"JSON value text":   {`{"partition":0,"key":"ana","value":"1"}`, `own:1: field value: found "\"1\""; allowed: a number`},
		"JSON part text":    {`{"partition":"0","key":"ana","value":1}`, `own:1: field partition: found "\"0\""; allowed: a whole number`},
		"JSON open":         {"{\"partition\":0,\"key\":\"ana\",\"value\":1}\n{\"partition\":0", `own:2: not valid JSON`},
		"JSON and more":     {`{"partition":0,"key":"ana","value":1} {}`, `own:1: found more text after the object; allowed: one object a line`},
		"JSON value nested": {`{"partition":0,"key":"ana","value":{"a":1}}`, `own:1: field value: found "{\"a\":1}"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := lessons.ParseInput("own", strings.NewReader(c.text), nil)
			if err == nil {
				t.Fatalf("accepted, want %s", c.want)
			}
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("found %s\nwant  %s", err, c.want)
			}
		})
	}
}

func TestOwnRecordsAreReadExactly(t *testing.T) {
	csv := "\uFEFFpartition,key,value\r\n2,ana,0.1\r\n0,\"b,en\",-12.345\r\n2,ana,1000000000\r\n0,<b>x</b>,007\r\n"
	ndjson := `{"partition":2,"key":"ana","value":0.1}

{"key":"b,en","partition":0,"value":-12.345}
{"partition":2,"key":"ana","value":1000000000}
{"partition":0,"key":"<b>x</b>","value":7}`
	for name, text := range map[string]string{"CSV": csv, "NDJSON": ndjson} {
		in, err := lessons.ParseInput("own", strings.NewReader(text), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := ""
		for p, part := range in.Parts {
			for _, d := range part {
				got += fmt.Sprintf("%d %s %s; ", p, in.Keys[d.Key], in.FormatValue(d.Value))
			}
		}
		if want := "0 b,en -12.345; 0 <b>x</b> 7; 2 ana 0.1; 2 ana 1000000000; "; got != want {
			t.Errorf("%s: found %s, want %s", name, got, want)
		}
	}
}

func TestOwnWords(t *testing.T) {
	in, err := lessons.ParseInput("own", strings.NewReader("partition,key,value\n0,ada,welcome\n0,bo,farewell\n"), []string{"welcome"})
	if err != nil {
		t.Fatal(err)
	}
	if got := in.FormatValue(in.At(engine.RecordID{Part: 0, Off: 1}).Value); got != "farewell" {
		t.Errorf("second value is %q", got)
	}
	_, err = lessons.ParseInput("own", strings.NewReader(`{"partition":0,"key":"ada","value":12}`), []string{"welcome"})
	if want := `own:1: field value: found "12"; allowed: a word in quotes; the values of this scenario are words`; err == nil || err.Error() != want {
		t.Errorf("found %v, want %s", err, want)
	}
}

func TestInputParameter(t *testing.T) {
	rows := "partition,key,value\n"
	for i := range 100 {
		rows += fmt.Sprintf("%d,customer-%d,%d\n", i%3, i%12, i)
	}
	packed, err := lessons.EncodeInput([]byte(rows))
	if err != nil {
		t.Fatal(err)
	}
	back, err := lessons.DecodeInput(packed)
	if err != nil || string(back) != rows {
		t.Errorf("came back as %d bytes, %v", len(back), err)
	}
	largest, err := lessons.EncodeInput([]byte(strings.Repeat("0", lessons.MaxOwnBytes)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lessons.DecodeInput(largest); err != nil {
		t.Errorf("the largest input is refused: %v", err)
	}
	for param, want := range map[string]string{
		"x.abc":                          "allowed: z. and the packed records, as the page writes them",
		"h.abc":                          "records kept by their hash are not stored by this server, or no longer; paste them again",
		"z.***":                          "the packed records are damaged: not base64url",
		"z.AAAA":                         "the packed records are damaged: not deflate",
		bomb(4 << 20):                    "the records are larger than 64 KiB unpacked",
		"z." + strings.Repeat("A", 8000): "the records do not fit into a link of 8 KiB: found 8002 bytes",
	} {
		if _, err := lessons.DecodeInput(param); err == nil || err.Error() != want {
			t.Errorf("%.20s: found %v, want %s", param, err, want)
		}
	}
	if _, err := lessons.EncodeInput(make([]byte, lessons.MaxOwnBytes+1)); err == nil {
		t.Error("an input above the limit is packed")
	}
}

// bomb is a small parameter that unpacks into n bytes.
func bomb(n int) string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	_, _ = w.Write(make([]byte, n))
	_ = w.Close()
	return "z." + base64.RawURLEncoding.EncodeToString(b.Bytes())
}
