const LONG = 1200; // real ms at 1×; longer waits are cut
const FRAME = 100; // real ms at most (a tab was hidden)

export class Clock {
	now = 0;
	pace = 12; // real ms per virtual ms

	/** @param {(n: number) => RunEvent} event undefined: not here yet */
	constructor(event) { this.event = event; }

	start(n) { this.now = this.event(n)?.t || 0; }

	// The event `real` ms later; those of one instant together.
	tick(n, to, real, speed) {
		let next = this.event(n + 1);
		if (!next || n >= to) return n;
		this.now = Math.max(this.now + Math.min(real, FRAME) * speed / this.pace, next.t - LONG / this.pace);
		while (n < to && next?.t <= this.now) next = this.event(++n + 1);
		if (!next) this.start(n); // waits
		return n;
	}
}

export const eventAt = (x, left, width, last) => Math.round(Math.max(0, Math.min(1, (x - left) / (width || 1))) * last);

// Both ends count.
export function nextMark(marks, n, way, last) {
	const ns = [0, ...marks.map(m => m[0]), last];
	return way > 0 ? Math.min(last, ...ns.filter(m => m > n)) : Math.max(0, ...ns.filter(m => m < n));
}
