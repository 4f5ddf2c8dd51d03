// The only writer of regions.
import {$$} from './dom.js';
import {Store} from './store.js';

const regions = new Map($$('[data-region]').map(el => [el.dataset.region, el]));
const fixed = new Map($$('[data-attrs]').map(el => [el.dataset.attrs, el]));
const shown = new Map([...regions].map(([name, el]) => [name, el.innerHTML])); // as the server drew it
let marked = [], timer;

/** @param {Store} store @returns {Plan} */
export function plan(store, n) {
	const plan = {regions: [], attrs: []};
	for (const [name, el] of regions) {
		const m = Store.at(store.regions.get(name), n);
		if (m !== undefined && m !== shown.get(name)) plan.regions.push([name, el, m]);
	}
	for (const [key, v] of store.attrs) {
		const [name, a] = key.split('\n'), el = fixed.get(name), m = Store.at(v, n);
		if (el && m !== undefined && el.getAttribute(a) !== m) plan.attrs.push([el, a, m]);
	}
	return plan;
}

/** @param {Plan} plan */
export function commit(plan) {
	for (const [name, el, m] of plan.regions) {
		el.innerHTML = m;
		shown.set(name, m);
	}
	for (const [el, a, m] of plan.attrs) el.setAttribute(a, m);
}

export function outline(els) {
	for (const el of marked) el.removeAttribute('data-changed');
	for (const el of els) el.setAttribute('data-changed', '');
	marked = els;
	clearTimeout(timer);
	if (els.length) timer = setTimeout(outline, 1500, []);
}

// What the prose speaks of.
export function watch(names) {
	for (const el of $$('[data-region],[data-task]')) el.toggleAttribute('data-watched', names.split(' ').includes(el.dataset.region || el.dataset.task));
}
