// Package stage draws a run: a Stage folds events and draws what they changed as
// named regions; the page, the page without scripts and the stream use the same
// components, so that they are equal by construction.
//
//	stage.go     Stage: Apply, Step, AllRegions; the list of regions and attributes
//	layout.go    where everything is: a pure function of the plan (nodes, lanes, panels beside it)
//	label.go     key labels and widths of text
//	*.templ      one component per region, contents only; models of the same name beside them
//
// # Components
//
//	SVG(s)                 the drawing, for inside #stage; the overlay is its last group
//	Shelf(s)               the contents of #shelf
//	Verdict(s)             <section id="verdict">, a table that CSS turns into tiles
//	Log(s, limit)          the rows of <ol id="log">, newest first
//	Timeline(s, t)         <div id="timeline" role="slider">, drawn for the whole of t
//	Sprite()               every glyph as a symbol g-NAME, once on a page, first in the body
//	Glyph(name)            <svg class="icon"> of one of them
//
// # Regions
//
// log/0 · source/0/status · source/0/out · count/0/in/0 · count/0/state ·
// coordinator · outside/NAME/0 (a line of the panel) · outside/NAME/note ·
// shelf · verdict/truth · verdict/NAME (first reader) · verdict/NAME/READER ·
// verdict/key/0 · links
//
// Attributes of the static layer (data-attrs): stage, TASK, TASK/in/0, TASK/state,
// log/0, log/0/strip, log/0/read, coordinator, outside/NAME, verdict/….
//
// # Glyphs by idea
//
// record replayed barrier checkpoint checkpoint-open checkpoint-gone checkpoint-part
// copy crash transaction transaction-open transaction-pre transaction-aborted
// transaction-expired fenced blocked unblocked full position ring exact duplicated
// lost hidden wrong mixed stuck rewound slow envelope sent received out restart
// rewind end tick cross part arrow chevron
package stage
