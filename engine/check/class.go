package check

// Class is the one word of a verdict.
type Class string

// Classes, worst first. Where several apply, the first one names the verdict.
const (
	Stuck      Class = "stuck"      // the run did not come to rest, or rows are out that the reader will not get
	Mixed      Class = "mixed"      // lost and duplicated
	Lost       Class = "lost"       // an input has no effect
	Duplicated Class = "duplicated" // an input has its effect more than once
	Wrong      Class = "wrong"      // each input once, but a value or a row is not the truth's
	Exact      Class = "exact"      // the truth
)

// Classes lists all classes, worst first.
func Classes() []Class { return []Class{Stuck, Mixed, Lost, Duplicated, Wrong, Exact} }

// rank is 0 for the worst class.
func (c Class) rank() int {
	switch c {
	case Stuck:
		return 0
	case Mixed:
		return 1
	case Lost:
		return 2
	case Duplicated:
		return 3
	case Wrong:
		return 4
	}
	return 5
}

// Worst is the more severe of two classes; the empty class is no class at all.
func Worst(a, b Class) Class {
	switch {
	case a == "":
		return b
	case b == "" || a.rank() <= b.rank():
		return a
	}
	return b
}

// WorstOf is the class of a run: the worst of its verdicts.
func WorstOf(vs []Verdict) Class {
	var worst Class
	for i := range vs {
		worst = Worst(worst, vs[i].Class)
	}
	return worst
}
