import {$} from './dom.js';

const ROWS = 60, list = $('#log');
let rows; // by event

// A row that stays keeps its focus.
export function show(store, n) {
	const want = new Map();
	if (!list) return;
	rows ||= (list.replaceChildren(), new Map()); // the server's first paint
	for (let i = n; i >= store.first && want.size < ROWS; i--) if (store.row(i)) want.set(i, store.row(i));
	for (const [i, [markup, el]] of rows) if (want.get(i) !== markup) {
		if (el.contains(document.activeElement)) list.focus();
		el.remove();
		rows.delete(i);
	}
	let next = list.firstElementChild;
	for (const [i, markup] of want) {
		if (!rows.has(i)) {
			(next || list).insertAdjacentHTML(next ? 'beforebegin' : 'beforeend', markup);
			rows.set(i, [markup, next ? next.previousElementSibling : list.lastElementChild]);
		}
		const el = rows.get(i)[1];
		el.ariaCurrent = i === n ? 'true' : null;
		next = el.nextElementSibling;
	}
}
