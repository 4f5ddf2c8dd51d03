package web

import "strings"

// matrixTitle is what a table is called, and the sentence under it.
func matrixTitle(part, output string) (title, note string) {
	switch part + " " + output {
	case "sinks event":
		return "Event output", "Each input record causes one row outside: its id, key and amount. A repeat carries the same id."
	case "sinks total":
		return "Total output", "Each input record causes one row outside: its key and how many records of that key were counted so far. A repeat may carry another total."
	case "loop total":
		return "A plain loop: where its totals live", "offset-commit with commit=after, total output. The position survives; what else survives decides the next total."
	case "trident total":
		return "trident: spout against state", "What others read is the engine's own table of counts."
	case "replicated event", "replicated total":
		return "replicated, " + output + ": copies against the command log", "What others read is the engine's own table. Clients send again what was not acknowledged."
	case "xa event", "xa total":
		return "xa, " + output + ": who dies, and did the coordinator write it down", "A database row and a broker position in one global transaction. The coordinator is a process of its own."
	case "pause event", "pause total":
		return "A sink falls asleep, " + output + " output", "It is replaced after pause.detection and wakes up as a zombie, with its old memory and queue. A broker always checks the epoch; a store checks a token with fencing=on."
	case "outage event", "outage total":
		return "Other single faults, " + output + " output", "An answer that never arrives, memories shorter than the outage, a new name at each start, and a time limit that ends a transaction although nothing fails."
	}
	return part + ", " + output, ""
}

// matrixNotes are the reasons behind the cells that surprise.
func matrixNotes() []matrixNote {
	return []matrixNote{
		{"a", "The loop continues from the position that lies with the output and never asks the broker for its own, so commit changes nothing here."},
		{"b", "The transaction does not hold the position. A crash between the two commits repeats the whole transaction, or loses it where the position goes first."},
		{"c", "The database keeps the batch id in the batch's own transaction and skips a batch it knows. Spark's Kafka sink does not do this; that is the column append."},
		{"d", "What the barrier overtook was saved with the checkpoint. It comes back after the crash and is written in the next transaction; the promised one is committed as it is."},
		{"e", "Records of the fast channel are handled before the slow barrier is in, so their rows are part of the transaction that commits. No saved position covers them: they are read again, and the next transaction holds them a second time. A perfect two-phase sink publishes both."},
		{"f", "The checkpoint is complete, its input will never be read again, and the broker has given up the transaction while the job was down. A reader of uncommitted rows saw them before."},
		{"g", "A call to a system outside. Exactness holds for state, positions and output inside the engine; a repeated step makes the call again."},
		{"h", "Two writes with a crash between them. Id first: the id is known and the effect is missing, so the repeat is dropped. Value first: the effect is there and the id is not, so the repeat is applied."},
		{"i", "The order trap. In the first attempt one partition came first, in the replay the other does. A record whose id is known is dropped, with a total that would have been the newer one. Totals want upsert, or a replay in fixed order."},
		{"j", "The batch and its end position are one write: taken as a whole or skipped as a whole, so the order inside cannot matter."},
		{"k", "The rebuilt state knows the skipped records, so a later record of the same key puts the total right. Where the skipped record was the last of its key, nothing does."},
		{"l", "Every record mails once, but the mail of the first attempt may carry the total of another order."},
		{"m", "Local store and changelog keep what was counted before the position was committed, and the replay counts it again. With exactly_once_v2, or barriers with a plain sink, only the output repeats."},
		{"n", "Sent before it was stored: the repeat may compute another total, and what was already delivered under that id wins."},
		{"o", "What a failed attempt left behind is read as if it were final."},
		{"p", "Keys that the first attempt wrote skip the replay, and with it the records that only the replay contains."},
		{"q", "Acknowledged, and the command log had it not yet, or there is none."},
		{"r", "Both sides have voted yes and nobody can say what was decided. Neither may decide alone, so locks and rows stay as they are."},
		{"s", "The zombie writes the totals of its queue after newer ones. The row shows the old one until the key comes again. An id or a position beside the value refuses what is known, whoever asks; a fencing token refuses whoever was replaced, whatever they ask."},
		{"t", "The write took effect and its answer was lost, so the sink asks again. Only a store that recognises the request, or a broker that counts them, takes it once."},
		{"u", "What the store knew was forgotten before the sink was back: the repeat is new to it."},
		{"v", "Nobody owns the transaction of the last start, so it stays open until transaction.timeout, and readers of committed rows wait behind it. A horizon that ends first sees them waiting."},
		{"w", "The broker ends the transaction before the checkpoint does. Its promise is made without asking and cannot be kept: ignored, the rows are gone; failing, or always with something to write, the job restarts until it is given up."},
	}
}

// matrixNoteFits says which cells a footnote belongs to.
func matrixNoteFits(id string, c *matrixCell) bool {
	is := func(prefix string) bool { return strings.HasPrefix(c.Row, prefix) }
	total := c.Output == "total"
	guarded := c.Sink == "dedup" || c.Sink == "offset-with-output"
	aligned := is("barriers exactly_once, aligned") || is("barriers exactly_once, unaligned")
	switch id {
	case "a":
		return c.Part == "sinks" && c.Strategy == "offset-commit" && c.Sink == "offset-with-output"
	case "b":
		return c.Strategy == "offset-commit" && c.Isolation == "read_committed"
	case "c":
		return c.Strategy == "microbatch" && c.Isolation == "read_committed"
	case "d":
		return is("barriers exactly_once, unaligned") && c.Isolation == "read_committed"
	case "e":
		return is("barriers at_least_once") && (c.Isolation == "read_committed" || c.Column == "files, log honoured")
	case "f":
		return is("barriers exactly_once, timeout") && c.Isolation == "read_committed"
	case "g":
		return (is("kafka-streams exactly_once_v2") || is("dataflow exactly_once, strong")) && (c.Sink == "append" || c.Sink == "email" && c.Column != "email from-input")
	case "h":
		return c.Part == "sinks" && !total && strings.HasSuffix(c.Column, "-first") && !is("offset-commit, before")
	case "i":
		return total && guarded && (aligned || c.Strategy == "microbatch" && c.Sink == "dedup" || is("offset-commit, a") && c.Sink == "dedup")
	case "j":
		return total && c.Strategy == "microbatch" && c.Sink == "offset-with-output"
	case "k":
		return total && is("offset-commit, before") && c.Column == "upsert"
	case "l":
		return total && c.Column == "email from-input" && (aligned || is("microbatch") || is("offset-commit, a") || is("barriers at_least_once"))
	case "m":
		return total && is("kafka-streams at_least_once") && (c.Sink == "append" || c.Sink == "upsert")
	case "n":
		return total && is("dataflow exactly_once, weak") && c.Column != "dedup id-first"
	case "o":
		return c.Column == "files, log ignored" && c.Strategy != "batch"
	case "p":
		return is("spout opaque, state transactional")
	case "q":
		return c.Part == "replicated" && c.Classes["lost"] > 0
	case "r":
		return c.Part == "xa" && c.Classes["stuck"] > 0
	case "s":
		return c.Part == "pause" && c.Classes["lost"] > 0
	case "t", "u", "v", "w":
		return c.Part == "outage" && id == outageNote(c)
	}
	return false
}

// outageNote is the footnote of a cell of the other single faults; "" for none.
func outageNote(c *matrixCell) string {
	switch {
	case strings.HasPrefix(c.Row, "lose-response") && c.Classes["duplicated"] > 0:
		return "t"
	case strings.HasPrefix(c.Row, "provider.dedup.window"), strings.HasPrefix(c.Row, "dedup.retention"):
		return "u"
	case strings.HasPrefix(c.Row, "transactional.id.prefix"):
		return "v"
	case strings.HasPrefix(c.Row, "transaction.timeout"):
		return "w"
	}
	return ""
}
