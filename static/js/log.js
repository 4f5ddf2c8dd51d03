import {$} from './dom.js';

const ROWS = 60, list = $('#log');
/** @type {Map<number, [string, Element]>} */ let rows;

// Only differences change, so that a row keeps its focus.
export function show(store, n) {
	const want = [];
	if (!list) return;
	rows ||= (list.replaceChildren(), new Map()); // the server's first paint
	for (let i = n; i >= store.first && want.length < ROWS; i--) if (store.row(i)) want.push(i);
	for (const [i, [markup, el]] of rows) if (!want.includes(i) || markup !== store.row(i)) {
		if (el.contains(document.activeElement)) list.focus();
		el.remove();
		rows.delete(i);
	}
	let next = list.firstElementChild;
	for (const i of want) {
		if (!rows.has(i)) {
			const markup = store.row(i);
			if (next) next.insertAdjacentHTML('beforebegin', markup); else list.insertAdjacentHTML('beforeend', markup);
			rows.set(i, [markup, next ? next.previousElementSibling : list.lastElementChild]);
		}
		const el = rows.get(i)[1];
		el.ariaCurrent = i === n ? 'true' : null;
		next = el.nextElementSibling;
	}
}
