// What the modules in static/js tell each other. The server's side is web/stream.go.

/** t: virtual ms; loud: told while playing, when most events are not. */
type RunEvent = {n: number, t: number, kind: string, task?: string, text: string, loud?: boolean};
/** An event, and the regions, the attributes (element → name → value) and the log row that it changed. */
type Step = {e: RunEvent, r?: Record<string, string>, a?: Record<string, Record<string, string>>, l?: string};
/** v[i] holds from event n[i] on. */
type Versions = {n: number[], v: string[]};
/** What showing an event would change: [region, its root, markup], [element, attribute, value]. */
type Plan = {regions: [string, Element, string][], attrs: [Element, string, string][]};
/** A fault of a run, and the event with which it struck. */
type Struck = {fault: string, n: number};
/** What is known of the whole run before its events are here. window: 0, or how many events a window holds. */
type Hello = {run: {digest: string, faults: Struck[], pace: number}, last: number, window: number, marks: [number, string][], timeline: string};
/** Parameters of a URL. */
type Pairs = [string, string][];
/** In the overlay's units; w: the scale. */
type Place = {x: number, y: number, w?: number};
type Flight = {copy: Element, el: Element, from: Place, to: Place, anim: Animation};
