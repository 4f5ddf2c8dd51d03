// The list of keys of a page that has no run of its own, its switch, and single keys
// that stand for something on the page.
import {$, on} from './dom.js';

const list = $('#keys'), single = $('input[name=keys]', list);
try { if (localStorage.keys) single.checked = localStorage.keys === 'on'; } catch {}
on(single, 'change', () => { localStorage.keys = single.checked ? 'on' : 'off'; });
on(document, 'click', e => e.target.closest('[data-do=keys]') && list.showModal());

/** Keys in text fields and lists are theirs; a dialog that has just closed has none. */
export const taken = e => e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || e.target.closest(':is(input,textarea,select):not(dialog:not([open]) *),dialog[open]');

/** @param {Record<string, () => void>} keys what single keys do */
export function letters(keys) {
	on(document, 'keydown', e => {
		const act = e.key === '?' ? () => list.showModal() : keys[e.key.toLowerCase()];
		if (!act || taken(e) || single?.checked === false) return;
		e.preventDefault();
		act();
	});
}
