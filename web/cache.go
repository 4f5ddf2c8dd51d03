package web

import (
	"container/list"
	"sync"
)

// cache keeps the values used last, as long as their sizes add up to no more
// than a bound. Runs are pure functions of their query, so nothing in it can be
// stale. It is safe for concurrent use.
type cache[V any] struct {
	mu    sync.Mutex
	bound int
	used  int
	order *list.List // most recently used first
	byKey map[string]*list.Element
}

type entry[V any] struct {
	key   string
	value V
	size  int
}

func newCache[V any](bound int) *cache[V] {
	return &cache[V]{bound: bound, order: list.New(), byKey: map[string]*list.Element{}}
}

func (c *cache[V]) get(key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[key]
	if !ok {
		var zero V
		return zero, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*entry[V]).value, true
}

// put adds a value. One that is larger than the bound is not kept.
func (c *cache[V]) put(key string, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[key]; ok {
		c.drop(el)
	}
	if size > c.bound {
		return
	}
	for c.used+size > c.bound {
		c.drop(c.order.Back())
	}
	c.byKey[key] = c.order.PushFront(&entry[V]{key: key, value: value, size: size})
	c.used += size
}

func (c *cache[V]) drop(el *list.Element) {
	e := c.order.Remove(el).(*entry[V])
	delete(c.byKey, e.key)
	c.used -= e.size
}
