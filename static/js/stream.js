// A run as it comes: over a socket, resumed by number; a long one in windows.
import {tall} from './dom.js';
import * as net from './net.js';
import {Store} from './store.js';

export class Run {
	/** @type {Hello} */ hello = null;
	done = false;
	verdict = ''; // in words
	seen = 0; // furthest event shown
	windows = new Map(); // {store, ready}
	window = -1; // last shown

	/** @param {string} query */
	constructor(query, store = new Store()) {
		this.query = query;
		this.store = store;
	}

	get last() { return this.hello?.last ?? Math.max(0, this.store.have); }

	at(n) {
		const size = this.hello?.window, s = size ? this.windows.get(Math.floor(n / size))?.store : this.store;
		return s?.has(n) ? s : undefined;
	}

	event(n) { return this.at(n)?.event(n); }

	fork(query, n) { return new Run(query, this.hello?.window ? undefined : this.store.fork(n)); }

	// Keeps the windows around event n and the one before; fetches what is near.
	need(n) {
		const size = this.hello?.window, k = Math.floor(n / size), edge = size / 5;
		if (!size) return undefined;
		if (k !== this.window) for (const w of this.windows.keys()) if (Math.abs(w - k) > 1 && w !== this.window) this.windows.delete(w);
		this.window = k;
		if (n % size < edge && k) this.fetch(k - 1, size);
		if (n % size > size - edge && (k + 1) * size <= this.last) this.fetch(k + 1, size);
		return this.fetch(k, size);
	}

	fetch(k, size) {
		if (!this.windows.has(k)) {
			const first = k * size, store = new Store(first);
			const ready = net.get(`/window?${this.query}&from=${first}&to=${Math.min(first + size - 1, this.last)}${tall}`)
				.then(r => r.json()).then(m => m.steps.forEach(s => store.add(s)));
			ready.catch(() => this.windows.delete(k));
			this.windows.set(k, {store, ready});
		}
		return this.windows.get(k).ready;
	}
}

/** One socket after another until the run is here. @param {Run} run @param {(type: string, message?: string) => void} tell */
export function stream(run, at, tell) {
	let closed = false, ws;
	const open = () => {
		if (closed || run.done) return;
		const from = run.store.have >= 0 ? '&from=' + run.store.have : '';
		ws = new WebSocket(`${location.origin.replace('http', 'ws')}/stream?${run.query}&at=${at}${from}${tall}`);
		ws.onclose = () => closed || run.done || net.lost(open);
		ws.onmessage = e => {
			const m = JSON.parse(e.data);
			if (closed) return;
			net.ok();
			if (m.type === 'hello') {
				if (run.hello && run.hello.run.digest !== m.run.digest) location.reload(); // another program
				run.hello = m;
			} else if (m.type === 'events') m.steps.forEach(s => run.store.add(s));
			else if (m.type === 'end') run.done = true, run.verdict = m.text;
			else closed = true;
			tell(m.type, m.message);
		};
	};
	open();
	return () => {
		closed = true;
		ws?.close();
	};
}
