package lessons_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"effectivelyonce/engine"
	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
)

// FuzzScenario: whatever a file holds, reading it ends in a scenario that can be
// compiled and run, or in problems that name the file.
func FuzzScenario(f *testing.F) {
	f.Add([]byte(scenarioText))
	f.Add([]byte("id: s\ntitle: t\ninput: {partitions: [[a 1], [b 2, c 3]]}\nsinks: [{name: x, sink: email, emit: \"at-count:1\"}]\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("{{{{\n\x00"))
	cat := catalogue(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		own, sc, problems := cat.ReadScenario("s.yaml", data)
		for _, p := range problems {
			if p.File != "s.yaml" || p.What == "" {
				t.Fatalf("problem without a place: %+v", p)
			}
		}
		if len(problems) > 0 {
			return
		}
		job, faults, err := own.Compile(lessons.Query{Scenario: sc.ID, Faults: sc.Script})
		if err != nil {
			t.Fatalf("read without a problem, but: %v", err)
		}
		if _, err := sim.Run(job, faults); err != nil && strings.Contains(err.Error(), "panic") {
			t.Fatal(err)
		}
	})
}

// FuzzOwnRecords: every input is refused with its name, or is within the limits
// and survives the way through a URL.
func FuzzOwnRecords(f *testing.F) {
	f.Add([]byte("partition,key,value\n0,ana,12\n1,ben,-3.5\n"))
	f.Add([]byte(`{"partition":0,"key":"ana","value":12}`))
	f.Add([]byte("\uFEFFpartition,key,value\n7,\"a,\"\"b\",0.001\n"))
	f.Add([]byte("{\"partition\":1e0,\"key\":\"\\u0000\",\"value\":-0}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := lessons.ParseInput("own", bytes.NewReader(data), nil)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "own:") {
				t.Fatalf("refused without a name: %v", err)
			}
			return
		}
		if in.Len() < 1 || in.Len() > engine.MaxRecords || len(in.Parts) > engine.MaxPartitions {
			t.Fatalf("%d records in %d partitions", in.Len(), len(in.Parts))
		}
		for _, part := range in.Parts {
			for _, d := range part {
				if d.Value > lessons.MaxValue*engine.ValueScale || d.Value < -lessons.MaxValue*engine.ValueScale {
					t.Fatalf("value %d", d.Value)
				}
			}
		}
		packed, err := lessons.EncodeInput(data)
		if err != nil {
			return // too large for a URL
		}
		if back, err := lessons.DecodeInput(packed); err != nil || !bytes.Equal(back, data) {
			t.Fatalf("changed on the way: %v", err)
		}
	})
}

// FuzzInputParameter: nothing that stands in a URL makes the reader panic or
// unpack more than the limit.
func FuzzInputParameter(f *testing.F) {
	f.Add("z.")
	f.Add("z.AQAA__8")
	f.Add("h.00")
	f.Fuzz(func(t *testing.T, param string) {
		if data, err := lessons.DecodeInput(param); err == nil && len(data) > lessons.MaxOwnBytes {
			t.Fatalf("%d bytes", len(data))
		}
	})
}

// FuzzLesson: whatever a lesson's file holds, loading and preparing end in
// problems or in a lesson whose markup holds no script.
func FuzzLesson(f *testing.F) {
	f.Add("---\nscenario: hook\nlead: Hello {run events}\nsimplified: [nothing]\n---\n\n## One {#one}\n\n```segment\nuntil: after:sink.write~1\n```\n\nText <script>x</script> {chip a 1}\n")
	f.Add("---\n---\n## {#}\n:::beat end\n")
	f.Fuzz(func(t *testing.T, text string) {
		fsys := fstest.MapFS{
			"course.yaml":           {Data: []byte("title: t\nchapters: [{title: c, line: l, lessons: [{slug: one, title: One, takes: 1m, claim: x}]}]\n")},
			"scenarios/hook.yaml":   {Data: []byte("id: hook\ntitle: t\ninput: {partitions: [[a 1, b 2]]}\nsinks: [{name: sink, sink: append}]\n")},
			"lessons/one/lesson.md": {Data: []byte(text)},
			"lessons/one/quiz.yaml": {Data: []byte("[]\n")},
		}
		cat, _ := lessons.Load(fsys)
		cat.Prepare(sim.Run)
		for _, s := range cat.Lesson("one").Segments {
			if strings.Contains(strings.ToLower(s.HTML), "<script") {
				t.Fatalf("script in %q", s.HTML)
			}
		}
	})
}
