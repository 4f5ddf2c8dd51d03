package sqldb

import (
	"context"
	"database/sql"
	"time"
)

// Event tells the world about a change. Its id comes from what caused the change
// (a record's place in the input, an order's number) and not from the moment of
// sending: whatever is done again has the same id (facts 11.5).
type Event struct {
	ID    string
	Key   string
	Value int64
}

// Publisher takes events to a topic. It returns nil when the topic has
// acknowledged all of them; after an error any of them may be there.
type Publisher interface {
	Publish(ctx context.Context, events []Event) error
}

// Outbox is the pattern of that name (facts 10.4): a change and the event that
// tells of it are rows of one transaction, so neither is ever there without the
// other, and a relay takes the events to a topic at least once. What it solves is
// that a database and a broker cannot commit together; what it leaves is repeats
// in the topic, which the reader recognises by id (Inbox).
type Outbox struct {
	place string
	ses   *session
}

// OutboxOptions are as in Options.
type OutboxOptions struct {
	Place    string // separates outboxes that share a database
	Patience time.Duration
	Notice   func(*Trouble)
}

// Outbox is the outbox of a place. It belongs to one goroutine; writers and relays
// have one each.
func (d *DB) Outbox(opt OutboxOptions) *Outbox {
	if opt.Patience == 0 {
		opt.Patience = defaultPatience
	}
	return &Outbox{place: opt.Place, ses: &session{db: d, patience: opt.Patience, notice: opt.Notice}}
}

// Close gives the connection back.
func (o *Outbox) Close() error {
	o.ses.release()
	return nil
}

// Apply makes a change, a balance that grows by the event's value, and puts its
// event into the outbox, in one transaction. An event whose id is there already
// was applied before: nothing is changed (known).
func (o *Outbox) Apply(ctx context.Context, e Event) (known bool, err error) {
	err = o.ses.transact(ctx, "write", true, func(ctx context.Context) error {
		n, err := o.ses.exec(ctx, `INSERT INTO eo_outbox (place, id, key, value, published) VALUES (?, ?, ?, ?, 0) ON CONFLICT (place, id) DO NOTHING`,
			o.place, e.ID, e.Key, e.Value)
		if known = n == 0; known || err != nil {
			return err
		}
		return grow(ctx, o.ses, o.place, e)
	})
	return known && err == nil, err
}

func grow(ctx context.Context, ses *session, place string, e Event) error {
	_, err := ses.exec(ctx, `INSERT INTO eo_balances (place, key, value, attempt) VALUES (?, ?, ?, 0)
		ON CONFLICT (place, key) DO UPDATE SET value = eo_balances.value + excluded.value`, place, e.Key, e.Value)
	return err
}

// Relay publishes up to most of the events that are not marked, in the order in
// which they got their numbers, and then marks them. It tells how many it has
// published; 0 means that none was left. A process that dies between the two
// leaves events that are in the topic and not marked: the next Relay publishes
// them again. In the other order it would leave events that are marked and nowhere
// else.
//
// Each event has a mark of its own. A relay that kept only the number it had come
// to would lose events: of two transactions the one with the smaller number may
// commit later (PostgreSQL gives numbers out before the commit).
func (o *Outbox) Relay(ctx context.Context, to Publisher, most int) (int, error) {
	var events []Event
	var numbers []int64
	err := o.ses.transact(ctx, "read the outbox", true, func(ctx context.Context) error {
		events, numbers = nil, nil
		return o.ses.each(ctx, `SELECT seq, id, key, value FROM eo_outbox WHERE place = ? AND published = 0 ORDER BY seq LIMIT ?`, func(r *sql.Rows) error {
			var e Event
			var n int64
			err := r.Scan(&n, &e.ID, &e.Key, &e.Value)
			events, numbers = append(events, e), append(numbers, n)
			return err
		}, o.place, most)
	})
	if err != nil || len(events) == 0 {
		return 0, err
	}
	if err := to.Publish(ctx, events); err != nil {
		return 0, err
	}
	return len(events), o.ses.transact(ctx, "mark the outbox", true, func(ctx context.Context) error {
		for _, n := range numbers {
			if _, err := o.ses.exec(ctx, `UPDATE eo_outbox SET published = 1 WHERE seq = ?`, n); err != nil {
				return err
			}
		}
		return nil
	})
}

// Inbox is the reader's side: it applies each event unless its id is known, id and
// effect in one transaction. It never forgets an id; one that does must remember
// longer than the topic can be read again (facts 11.6).
type Inbox struct {
	place string
	ses   *session
}

// Inbox is the inbox of a place, for one goroutine.
func (d *DB) Inbox(opt OutboxOptions) *Inbox { return (*Inbox)(d.Outbox(opt)) }

// Close gives the connection back.
func (i *Inbox) Close() error { return (*Outbox)(i).Close() }

// Receive applies an event, a balance that grows by its value, unless it is known.
func (i *Inbox) Receive(ctx context.Context, e Event) (known bool, err error) {
	err = i.ses.transact(ctx, "write", true, func(ctx context.Context) error {
		n, err := i.ses.exec(ctx, `INSERT INTO eo_ids (place, id, at) VALUES (?, ?, 0) ON CONFLICT (place, id) DO NOTHING`, i.place, e.ID)
		if known = n == 0; known || err != nil {
			return err
		}
		return grow(ctx, i.ses, i.place, e)
	})
	return known && err == nil, err
}
