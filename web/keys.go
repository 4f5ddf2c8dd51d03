package web

// keyHelp is one line of the list under "?".
type keyHelp struct {
	Keys []string
	What string
}

// keyList is design section 11, as far as the things exist.
// follows: the page has a text that leads the stage.
func keyList(follows bool) []keyHelp {
	out := []keyHelp{
		{[]string{"Space"}, "play, pause"},
		{[]string{"→", "←"}, "next, previous event"},
		{[]string{"Shift →", "Shift ←"}, "next, previous checkpoint or fault"},
		{[]string{"Home", "End"}, "start, last event"},
		{[]string{"[", "]"}, "slower, faster"},
		{[]string{"K"}, "crash: a letter appears on each task; press it; Esc cancels"},
		{[]string{"1", "2", "3"}, "predict card: choose; ↑ ↓ row; Enter runs"},
		{[]string{"← ↑ ↓ →"}, "on the stage: along the flow; Enter inspects a task"},
		{[]string{"V"}, "read the verdict"},
		{[]string{"L"}, "event log"},
		{[]string{"B"}, "hide or show the verdict"},
		{[]string{"P"}, "projector"},
		{[]string{"M"}, "this run in the crash map"},
		{[]string{"C"}, "share: copy the link to this moment, embed it"},
		{[]string{"D"}, "describe this moment in words"},
		{[]string{"?"}, "this list"},
		{[]string{"Esc"}, "close panel, sheet, projector"},
	}
	if follows {
		out = append(out, keyHelp{[]string{"J", "U"}, "next, previous moment of the text"},
			keyHelp{[]string{"Page ↓", "Page ↑"}, "the same on the projector: a clicker"})
	}
	return out
}

// mapKeys is the list of the crash map, twinKeys that of twin runs, sandboxKeys that
// of the sandbox.
func mapKeys() []keyHelp {
	return []keyHelp{
		{[]string{"← ↑ ↓ →"}, "in the grid: from cell to cell"},
		{[]string{"Home", "End"}, "first, last moment of the row; with Ctrl of the grid"},
		{[]string{"Page ↓", "Page ↑"}, "next, previous moment of the row that is not exact"},
		{[]string{"Enter"}, "look into the cell's moments, or open its run"},
		{[]string{"+", "-"}, "zoom in, the whole run"},
		{[]string{"T"}, "read as table"},
		{[]string{"?"}, "this list"},
		{[]string{"Esc"}, "close this list"},
	}
}

func twinKeys() []keyHelp {
	return []keyHelp{
		{[]string{"Space"}, "play, pause"},
		{[]string{"→", "←"}, "next, previous moment of the shared clock"},
		{[]string{"Home", "End"}, "start, end"},
		{[]string{"F"}, "to where they part"},
		{[]string{"M"}, "both choices in the crash map"},
		{[]string{"?"}, "this list"},
		{[]string{"Esc"}, "close this list"},
	}
}

func sandboxKeys() []keyHelp {
	return []keyHelp{
		{[]string{"N"}, "a new row of the failure schedule"},
		{[]string{"R"}, "run it"},
		{[]string{"M"}, "crash it everywhere"},
		{[]string{"?"}, "this list"},
		{[]string{"Esc"}, "close this list"},
	}
}
