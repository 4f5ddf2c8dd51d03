// The crash map: cells as they come, one selection for all panels, keys.
import {$, $$, attr, on, put} from './dom.js';
import {letters} from './sheet.js';

const main = $('main[data-map]'), detail = $('#map-detail'), query = main.dataset.map;
let chosen = new URLSearchParams(location.search).get('sel') || '';
let asked = 0; // the last selection that was asked for
let tries = 0;

const say = text => {
	const p = document.createElement('p');
	p.textContent = text;
	$('#say').replaceChildren(p);
};

/* ---- cells as they come ---- */

function insert(m) {
	for (const [id, look, text, label] of m.cells) {
		const c = document.getElementById(id);
		if (!c) continue;
		c.className = look;
		c.textContent = text;
		c.ariaLabel = label;
	}
	for (const [name, markup] of Object.entries(m.parts)) {
		const part = $(`[data-part="${name}"]`);
		if (part) part.innerHTML = markup;
	}
	if (!m.parts.cover) put('[data-part=cover]', `${m.done} of ${m.of} runs`);
}

function stream() {
	let done = false;
	const ws = new WebSocket(`${location.origin.replace('http', 'ws')}/stream?view=map&${query}`);
	ws.onmessage = e => {
		const m = JSON.parse(e.data);
		tries = 0;
		if (m.type === 'cells') insert(m);
		if (m.type === 'error' || m.type === 'end') {
			done = true;
			main.dataset.filled = '';
			say(m.text || m.message);
			if (m.type === 'error') put('[data-part=cover]', m.message);
			else if (!detail.contains(document.activeElement)) show(chosen);
		}
	};
	ws.onclose = () => done || ++tries > 8 || setTimeout(stream, 250 * 2 ** tries); // what is known is not made again
}
if ('open' in main.dataset) stream(); else main.dataset.filled = '';

/* ---- the selection ---- */

/** @returns {HTMLButtonElement[][]} */
const cells = grid => $$('tbody tr', grid).map(tr => /** @type {HTMLButtonElement[]} */ ($$('.mc', tr)));

// Marks a place, given as FAULT@COLUMN, in every panel.
function mark(sel) {
	for (const grid of $$('.map-grid')) for (const c of $$('.mc', grid)) {
		const is = attr(c, 'value') === sel, td = c.parentElement;
		c.tabIndex = is ? 0 : -1;
		if (is !== (td.ariaSelected === 'true')) td.ariaSelected = String(is);
		if (is) for (const row of $$('thead tr,tfoot tr', grid)) [...row.children].forEach((el, i) => el.classList.toggle('sel', i === td.cellIndex));
	}
}

// Draws the detail of a place; without one, of the worst.
async function show(sel, focus = '') {
	const mine = ++asked;
	if (sel) mark(chosen = sel);
	const more = sel ? '&sel=' + encodeURIComponent(sel).replace(/%(3A|40|2F)/g, decodeURIComponent) : '';
	const r = await fetch(`/card/map?${query}${more}`).catch(() => null);
	if (mine !== asked) return;
	if (!r?.ok) return say('This cell could not be loaded.');
	detail.innerHTML = await r.text();
	if (!sel) mark(attr($('[data-sel]', detail), 'data-sel'));
	if (more) history.replaceState(null, '', `/map?${query}${more}`);
	if (focus) ($(`[data-step="${focus}"]`, detail) || $('a.nudge', detail))?.focus();
}

on(main, 'click', e => {
	const c = e.target.closest('.map-grid .mc'), step = e.target.closest('a.nudge');
	if (e.metaKey || e.ctrlKey || e.shiftKey) return;
	if (c) show(c.value);
	else if (step) {
		const sel = new URL(step.href).searchParams.get('sel');
		show(sel, step.dataset.step).then(() => say($('#map-detail-title')?.textContent + '. ' + $$('.map-card .v-word').map(v => v.textContent.trim()).join('. ')));
	} else return;
	e.preventDefault();
});
on(main, 'dblclick', e => e.target.closest('.map-grid .mc') && enter());

// Opens the run of the selected cell, or looks into the selected bin.
function enter() {
	const go = $('[data-zoom=in]', detail) || $('[data-watch]', detail);
	if (go) location.assign(go.href);
}

/* ---- keys ---- */

letters({t: () => {
	const table = $('#map-table');
	table.open = !table.open;
	$('summary', table).focus();
}});

on($('#map'), 'keydown', async e => {
	const grid = e.target.closest('.map-grid');
	if (!grid || e.altKey || e.metaKey) return;
	const rows = cells(grid), row = rows.findIndex(r => r.includes(e.target)), last = rows.length - 1;
	if (row < 0) return;
	let r = row, n = rows[row].indexOf(e.target);
	const end = rows[row].length - 1;
	switch (e.key) {
	case 'ArrowRight': n++; break;
	case 'ArrowLeft': n--; break;
	case 'ArrowDown': r++; break;
	case 'ArrowUp': r--; break;
	case 'Home': n = 0; if (e.ctrlKey) r = 0; break;
	case 'End': n = end; if (e.ctrlKey) r = last; break;
	case 'PageUp': n = before(rows[row], n, -1); break;
	case 'PageDown': n = before(rows[row], n, 1); break;
	case 'Enter':
		e.preventDefault();
		if (attr($('[data-sel]', detail), 'data-sel') !== e.target.value) await show(e.target.value);
		return enter();
	case '+': case '=':
		await show(e.target.value);
		return $('[data-zoom=in]', detail)?.click();
	case '-': return $('[data-zoom=out]')?.click();
	default: return;
	}
	e.preventDefault();
	const to = rows[Math.max(0, Math.min(last, r))][Math.max(0, Math.min(end, n))];
	mark(to.value);
	to.focus();
});

// The next place of a row that is not exact.
function before(row, n, way) {
	for (let i = n + way; i >= 0 && i < row.length; i += way) if (!/\b(exact|hollow|none)\b/.test(row[i].className)) return i;
	return n;
}

// The detail follows the keys when they rest.
let timer = 0;
on($('#map'), 'focusin', e => {
	if (!e.target.matches('.map-grid .mc')) return;
	clearTimeout(timer);
	timer = setTimeout(() => document.activeElement === e.target && attr($('[data-sel]', detail), 'data-sel') !== e.target.value && show(e.target.value), 250);
});
