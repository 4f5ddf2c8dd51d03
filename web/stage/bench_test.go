package stage

import (
	"context"
	"testing"
)

// BenchmarkStep is what the stream does for each event.
func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"J", "tour", "P4 8"} {
		tr := runOf(b, name)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			s := stageOf(tr)
			for i := range b.N {
				if i%tr.Len() == 0 {
					s = stageOf(tr)
				}
				s.Apply(tr.At(i%tr.Len() + 1))
				if _, err := s.Step(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkKeyframe draws everything, as each window of a long run begins.
func BenchmarkKeyframe(b *testing.B) {
	tr := runOf(b, "tour")
	s := stageOf(tr)
	for n := 1; n <= 200; n++ {
		s.Apply(tr.At(n))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.AllRegions(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
