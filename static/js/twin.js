// Two runs on one clock. Each side keeps versions of its regions by event number, in
// windows; a moment of the merged clock says which event each side shows.
import {$, $$, on, put} from './dom.js';
import {letters, taken} from './sheet.js';
import {Store} from './store.js';

const SIZE = 500; // events a window
const LONG = 1200, FRAME = 100; // real ms, as on the page of one run
const main = $('main.twin'), slider = $('#clock');
/** @type {{pace: number, moments: number[][]}} */ let clock;
let at = +main.dataset.at, playing = false, want = at;

class Side {
	/** @type {Map<number, {store: Store, ready: Promise<void>}>} */ windows = new Map();
	last = 0;
	n = 0;
	/** @type {Store} */ store;

	constructor(el, query) {
		this.el = el;
		this.query = query;
		this.regions = new Map($$('[data-region]', el).map(r => [r.dataset.region, r]));
		this.fixed = new Map($$('[data-attrs]', el).map(r => [r.dataset.attrs, r]));
		this.shown = new Map([...this.regions].map(([name, r]) => [name, r.innerHTML]));
	}

	// The window that holds event n, when it is here.
	need(n) {
		const k = Math.floor(n / SIZE);
		if (!this.windows.has(k)) {
			const store = new Store(k * SIZE);
			const ready = fetch(`/window?${this.query}&from=${k * SIZE}&to=${Math.min(this.last, k * SIZE + SIZE - 1)}`)
				.then(r => r.json()).then(m => m.steps.forEach(s => store.add(s)));
			ready.catch(() => this.windows.delete(k)); // asked for again
			this.windows.set(k, {store, ready});
			for (const w of this.windows.keys()) if (Math.abs(w - k) > 1) this.windows.delete(w);
		}
		return this.windows.get(k);
	}

	show(n) {
		const store = this.need(n).store;
		this.store = store;
		this.n = n;
		for (const [name, el] of this.regions) {
			const m = Store.at(store.regions.get(name), n);
			if (m === undefined || m === this.shown.get(name)) continue;
			el.innerHTML = m;
			this.shown.set(name, m);
		}
		for (const [key, v] of store.attrs) {
			const [name, a] = key.split('\n'), m = Store.at(v, n);
			if (m !== undefined) this.fixed.get(name)?.setAttribute(a, m);
		}
		put('[data-event]', n, this.el);
		put('[data-text]', store.event(n)?.text || '', this.el);
		$('[data-open]', this.el).href = `/run?${this.query}&at=${n}`;
	}
}

const sides = $$('[data-side]').map((el, i) => new Side(el, i ? main.dataset.b : main.dataset.a));

async function show(k) {
	want = k = Math.max(0, Math.min(k, clock.moments.length - 1));
	const [t, ...ns] = clock.moments[k];
	try { await Promise.all(sides.map((s, i) => s.need(ns[i]).ready)); } catch { return stop(); }
	if (want !== k) return;
	at = k;
	sides.forEach((s, i) => s.show(ns[i]));
	for (const [i, s] of sides.entries()) for (const [name, el] of s.regions) el.toggleAttribute('data-differs', sides[1 - i].shown.get(name) !== s.shown.get(name));
	slider.value = k;
	slider.ariaValueText = `${Math.round(t)} ms: event ${ns[0]} of run A, event ${ns[1]} of run B`;
	put('[data-time]', `${Math.round(t)}ms`);
	put('[data-moment-now]', k);
	main.dataset.position = '' + k;
}

function seek(k) {
	stop();
	return show(k).then(rest);
}

function rest() {
	const p = new URLSearchParams(location.search);
	p.set('at', '' + at);
	history.replaceState(null, '', '?' + String(p).replace(/%(3A|40|2F|3D|2C)/g, decodeURIComponent));
}

function play() {
	if (at === clock.moments.length - 1) show(0);
	playing = true;
	paint();
	let last = performance.now(), now = clock.moments[want][0];
	requestAnimationFrame(function tick(real) {
		if (!playing) return;
		let k = at;
		if (want === at) { // else a window is on its way
			const next = clock.moments[at + 1];
			now = Math.max(now + Math.min(real - last, FRAME) / clock.pace, next[0] - LONG / clock.pace);
			while (k < clock.moments.length - 1 && clock.moments[k + 1][0] <= now) k++;
			if (k > at) show(k);
		}
		last = real;
		if (want === clock.moments.length - 1) stop(); else requestAnimationFrame(tick);
	});
}

function stop() {
	if (playing) setTimeout(rest);
	playing = false;
	paint();
}

function paint() {
	put('[data-twin=play] [data-label]', playing ? 'Pause' : 'Play');
	main.dataset.state = playing ? 'playing' : 'paused';
}

const say = () => put('#say', sides.map((s, i) => `Run ${'AB'[i]}: ${s.store.event(s.n)?.text || 'nothing yet.'}`).join(' '));
const ACTIONS = {start: () => seek(0), end: () => seek(Infinity).then(say), back: () => seek(want - 1).then(say), forward: () => seek(want + 1).then(say), play: () => playing ? stop() : play()};
const KEYS = {' ': 'play', ArrowLeft: 'back', ArrowRight: 'forward', Home: 'start', End: 'end'};

on(main, 'click', e => {
	const button = e.target.closest('[data-twin]'), link = e.target.closest('[data-moment]');
	if (!clock || e.button || e.ctrlKey || e.metaKey || e.shiftKey) return;
	if (button) ACTIONS[button.dataset.twin]();
	if (!link) return;
	e.preventDefault();
	seek(+link.dataset.moment).then(say);
});
on(slider, 'input', () => clock && seek(+slider.value));
on(document, 'keydown', e => {
	if (!clock || taken(e) || e.target.closest('a,button,summary') || !KEYS[e.key]) return;
	e.preventDefault();
	ACTIONS[KEYS[e.key]]();
});

letters({m: () => $('a[data-map]')?.click(), f: () => $('#first a')?.click()});

const load = await fetch(main.dataset.clock).then(r => r.json());
sides.forEach((s, i) => { s.last = load.moments.at(-1)[1 + i]; });
clock = load;
await show(at);
main.toggleAttribute('data-complete', true);
