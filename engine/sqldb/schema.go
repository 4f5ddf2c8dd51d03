package sqldb

// schema is the tables, made where they are missing. A place separates runs and
// sinks that share a database. Times are microseconds (engine.Time), values as
// engine.ValueScale says. SERIAL, NUMBER become the database's types.
func schema() []string {
	return []string{
		// append: one row a write, repeats included.
		`CREATE TABLE IF NOT EXISTS eo_rows (seq SERIAL, place TEXT NOT NULL, part NUMBER NOT NULL, off NUMBER NOT NULL,
			key TEXT NOT NULL, value NUMBER NOT NULL, attempt NUMBER NOT NULL)`,
		// upsert: one row a record (event) or a key (total, or emit at a count: part and off are -1).
		`CREATE TABLE IF NOT EXISTS eo_cells (place TEXT NOT NULL, cell TEXT NOT NULL, part NUMBER NOT NULL, off NUMBER NOT NULL,
			key TEXT NOT NULL, value NUMBER NOT NULL, attempt NUMBER NOT NULL, PRIMARY KEY (place, cell))`,
		// dedup and offset-with-output: one balance a key.
		`CREATE TABLE IF NOT EXISTS eo_balances (place TEXT NOT NULL, key TEXT NOT NULL, value NUMBER NOT NULL, attempt NUMBER NOT NULL,
			PRIMARY KEY (place, key))`,
		// dedup: the ids that are remembered, and since when.
		`CREATE TABLE IF NOT EXISTS eo_ids (place TEXT NOT NULL, id TEXT NOT NULL, at NUMBER NOT NULL, PRIMARY KEY (place, id))`,
		// offset-with-output: the offset of the newest record applied, by slot: key and partition, partition, or one.
		`CREATE TABLE IF NOT EXISTS eo_positions (place TEXT NOT NULL, slot TEXT NOT NULL, part NUMBER NOT NULL, key TEXT NOT NULL,
			last NUMBER NOT NULL, PRIMARY KEY (place, slot))`,
		// offset-with-output, whole batches: where the newest one ended, by writer and partition.
		`CREATE TABLE IF NOT EXISTS eo_ends (place TEXT NOT NULL, writer NUMBER NOT NULL, part NUMBER NOT NULL, ends NUMBER NOT NULL,
			PRIMARY KEY (place, writer, part))`,
		// every change of a balance, where a sink keeps a journal.
		`CREATE TABLE IF NOT EXISTS eo_changes (seq SERIAL, place TEXT NOT NULL, part NUMBER NOT NULL, off NUMBER NOT NULL,
			key TEXT NOT NULL, value NUMBER NOT NULL, attempt NUMBER NOT NULL)`,
		// outbox: the events of changes, and whether the relay has marked them as published.
		`CREATE TABLE IF NOT EXISTS eo_outbox (seq SERIAL, place TEXT NOT NULL, id TEXT NOT NULL, key TEXT NOT NULL, value NUMBER NOT NULL,
			published NUMBER NOT NULL, UNIQUE (place, id))`,
		// fencing: the newest token that each task was given.
		`CREATE TABLE IF NOT EXISTS eo_tokens (place TEXT NOT NULL, task TEXT NOT NULL, token NUMBER NOT NULL, PRIMARY KEY (place, task))`,
	}
}
