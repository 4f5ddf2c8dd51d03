// What has come of a run, from event `first`, whose step carries everything, to `have`.
export class Store {
	/** @type {Map<string, Versions>} */ regions = new Map();
	/** @type {Map<string, Versions>} by "element\nattribute" */ attrs = new Map();
	/** @type {Step[]} */ steps = [];

	constructor(first = 0) {
		this.first = first;
		this.have = first - 1;
	}

	/** Ignores what is here already, from a resumed stream. @param {Step} s */
	add(s) {
		const n = s.e.n;
		if (n <= this.have) return;
		if (n !== this.have + 1) throw Error(`event ${n} came after ${this.have}`);
		this.have = n;
		for (const k in s.r) put(this.regions, k, n, s.r[k]);
		for (const el in s.a) for (const k in s.a[el]) put(this.attrs, el + '\n' + k, n, s.a[el][k]);
		this.steps.push({e: s.e, l: s.l});
	}

	has(n) { return n >= this.first && n <= this.have; }
	event(n) { return this.steps[n - this.first]?.e; }
	row(n) { return this.steps[n - this.first]?.l || ''; }

	fork(n) {
		const f = new Store(this.first);
		f.have = Math.min(n, this.have);
		f.steps = this.steps.slice(0, f.have - f.first + 1);
		for (const m of ['regions', 'attrs']) for (const [k, v] of this[m]) {
			const i = upTo(v.n, n);
			if (i) f[m].set(k, {n: v.n.slice(0, i), v: v.v.slice(0, i)});
		}
		return f;
	}

	/** @param {Versions} v @returns what holds at event n */
	static at(v, n) { return v?.v[upTo(v.n, n) - 1]; }
}

function put(map, key, n, value) {
	const v = map.get(key) || map.set(key, {n: [], v: []}).get(key);
	v.n.push(n);
	v.v.push(value);
}

// How many are ≤ n.
function upTo(ns, n) {
	let lo = 0, hi = ns.length;
	while (lo < hi) {
		const mid = lo + hi >> 1;
		if (ns[mid] <= n) lo = mid + 1; else hi = mid;
	}
	return lo;
}
