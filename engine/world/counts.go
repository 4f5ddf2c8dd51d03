package world

import "effectivelyonce/engine"

// pageKeys is how many keys a page of Counts holds: 8 KiB.
const pageKeys = 1024

// page is the counts of some keys. A snapshot copies one word for it.
type page [pageKeys]int64

// Counts is the keyed state of a counter. A copy of it for a snapshot shares its
// pages, so that taking one does not make the task stand still for longer the more
// keys there are; a page is copied when it is written for the first time after that.
// State that fits into one page is copied outright.
//
// (Flink 2.x does the same with its heap state backend, whose copy-on-write table is
// shared with the snapshot while that is written out; facts 3, step 3.)
type Counts struct {
	flat  []int64 // by key, where one page is enough
	pages []*page // by key/pageKeys, otherwise; of the last one the first few may be all there is
	own   []bool  // by page: nobody else holds it
	keys  int
	used  int64 // keys with a count above 0
}

// NewCounts is a state in which no key was counted.
func NewCounts(keys int) *Counts {
	if keys <= pageKeys {
		return &Counts{flat: make([]int64, keys), keys: keys}
	}
	n := (keys + pageKeys - 1) / pageKeys
	c := &Counts{pages: make([]*page, n), own: make([]bool, n), keys: keys}
	for i := range c.pages {
		c.pages[i], c.own[i] = new(page), true
	}
	return c
}

// CountsOf is a state with these counts, by key.
func CountsOf(values []int64) *Counts {
	c := NewCounts(len(values))
	c.Load(values)
	return c
}

// Keys is how many keys there are, counted or not.
func (c *Counts) Keys() int { return c.keys }

// Used is how many keys have a count above 0; of no state (nil) it is 0.
func (c *Counts) Used() int64 {
	if c == nil {
		return 0
	}
	return c.used
}

// At is a key's count.
func (c *Counts) At(k engine.KeyID) int64 {
	if c.pages == nil {
		return c.flat[k]
	}
	return c.pages[k/pageKeys][k%pageKeys]
}

// Add counts one more of a key and returns the count before.
func (c *Counts) Add(k engine.KeyID) (before int64) {
	p := c.slot(k)
	before = *p
	*p++
	if before == 0 {
		c.used++
	}
	return before
}

// Set changes a key's count.
func (c *Counts) Set(k engine.KeyID, n int64) {
	p := c.slot(k)
	if *p > 0 {
		c.used--
	}
	if *p = n; n > 0 {
		c.used++
	}
}

// slot is where a key's count may be written.
func (c *Counts) slot(k engine.KeyID) *int64 {
	if c.pages == nil {
		return &c.flat[k]
	}
	i := k / pageKeys
	if !c.own[i] {
		written := *c.pages[i]
		c.pages[i], c.own[i] = &written, true
	}
	return &c.pages[i][k%pageKeys]
}

// Load sets the counts of the keys that values has.
func (c *Counts) Load(values []int64) {
	for k, n := range values {
		c.Set(engine.KeyID(k), n)
	}
}

// Clear sets every count to 0.
func (c *Counts) Clear() {
	clear(c.flat)
	for i := range c.pages {
		if c.own[i] {
			*c.pages[i] = page{}
		} else {
			c.pages[i], c.own[i] = new(page), true
		}
	}
	c.used = 0
}

// Snapshot is the state as it is now. It is never written again: a task that is
// restored from it takes it in with Restore.
func (c *Counts) Snapshot() *Counts {
	s := &Counts{keys: c.keys, used: c.used}
	if c.pages == nil {
		s.flat = append(make([]int64, 0, len(c.flat)), c.flat...)
		return s
	}
	clear(c.own)
	s.pages = append([]*page(nil), c.pages...)
	return s
}

// Restore makes c what a snapshot holds; nil changes nothing.
func (c *Counts) Restore(s *Counts) {
	if s == nil {
		return
	}
	if c.used = s.used; c.pages == nil {
		copy(c.flat, s.flat)
		return
	}
	copy(c.pages, s.pages)
	clear(c.own)
}

// CopyFrom makes c equal to o, with memory of its own, that of c where it fits. It
// returns c, or a new state where c is nil.
func (c *Counts) CopyFrom(o *Counts) *Counts {
	if c == nil {
		c = &Counts{}
	}
	c.keys, c.used, c.flat = o.keys, o.used, append(c.flat[:0], o.flat...)
	if o.pages == nil {
		c.pages, c.own = nil, nil
		return c
	}
	c.pages, c.own = grow(c.pages, len(o.pages)), grow(c.own, len(o.pages))
	for i := range o.pages {
		if !c.own[i] {
			c.pages[i], c.own[i] = new(page), true
		}
		*c.pages[i] = *o.pages[i]
	}
	return c
}
