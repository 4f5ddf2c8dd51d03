// Prediction and inspector.
import {$, $$, focusOn, on, put} from './dom.js';
import * as net from './net.js';
import {recover} from './page.js';

export const card = $('#card'), side = $('#inspector');
const loads = new Map(); // by part

on(card, 'change', check);
on(card, 'keydown', e => key(e) && e.preventDefault());
on(card, 'submit', e => {
	if (!form()) return;
	e.preventDefault();
	recover(String(new URLSearchParams(/** @type {any} */ ([...new FormData(form())].filter(([k]) => k.startsWith('predict'))))));
});
export const form = () => card?.hidden === false ? $('form[data-predict]', card) : null;
const button = () => $('[type=submit]', form());
const rows = () => form() ? $$('fieldset', form()).map(f => ({f, radios: $$('input', f), chosen: $('input:checked', f)})) : [];
check();

export async function load(el, url, opener = null, again = false) {
	const stop = new AbortController(), old = loads.get(el);
	old?.stop.abort();
	loads.set(el, {stop, opener: again ? old.opener : opener});
	const html = await (await net.get(url, stop.signal)).text();
	if (!el || stop.signal.aborted) return;
	el.innerHTML = html;
	show(el, true);
	check();
	if (!again) focusOn(el);
}

function show(el, on) {
	el.hidden = !on;
	if (el === card) $('#prose')?.toggleAttribute('inert', document.body.toggleAttribute('data-card', on));
}

// Whether the part was open.
export function close(el) {
	const had = el?.contains(document.activeElement);
	loads.get(el)?.stop.abort();
	if (!el || el.hidden) return false;
	show(el, false);
	if (had) loads.get(el)?.opener?.focus({preventScroll: true});
	return true;
}

function check() {
	const left = rows().filter(r => !r.chosen).map(r => r.f.dataset.label);
	if (button()) button().disabled = left.length > 0;
	put('#card [data-left]', left.length ? `${left.length > 1 ? left.length + ' answers' : 'One answer'} left: ${left.join(', ')}.` : '');
}

// 1 2 3 choose, arrows change the row, Enter runs.
function key(e) {
	const all = rows(), i = all.findIndex(r => r.f.contains(e.target)), way = {ArrowDown: 1, ArrowUp: -1}[e.key];
	if (!all.length || e.ctrlKey || e.altKey || e.metaKey) return false;
	const now = i < 0 ? Math.max(0, all.findIndex(r => !r.chosen)) : i, radio = all[now].radios[+e.key - 1];
	if (radio) {
		radio.click();
		(rows().find(r => !r.chosen)?.radios[0] || button()).focus();
	} else if (way) {
		const r = all[i < 0 ? now : now + way] || all[now];
		(r.chosen || r.radios[0]).focus();
	} else if (e.key !== 'Enter' || e.target.closest('a,button')) return false;
	else if (!button().disabled) form().requestSubmit();
	return true;
}
