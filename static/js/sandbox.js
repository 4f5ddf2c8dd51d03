// The sandbox follows its form: a change is a GET, and the page that comes back
// takes the place of this one. What the setup can promise is fetched afterwards.
import {$, $$, on, put} from './dom.js';
import {letters} from './sheet.js';

let asked = 0, stop = new AbortController();
const main = () => $('main.sandbox');

on(document, 'change', e => {
	const form = e.target.form;
	if (!ready(e.target.closest('.schedule .new'))) return;
	if (form?.id === 'setup') go(changed(form));
	else if (form?.matches('.choose')) go('/sandbox?scenario=' + encodeURIComponent(e.target.value));
});
on(document, 'submit', e => {
	if (e.target.id !== 'setup') return;
	e.preventDefault();
	go(changed(e.target));
});
on(document, 'click', e => {
	const link = e.target.closest('main.sandbox a');
	if (!link?.getAttribute('href').startsWith('/sandbox?') || e.button || e.ctrlKey || e.metaKey || e.shiftKey) return;
	e.preventDefault();
	go(link.href);
});
on(document, 'click', async e => {
	const b = e.target.closest('[data-copy]');
	if (!b) return;
	try {
		await navigator.clipboard.writeText((f => f.value ?? f.textContent)($('#' + b.dataset.copy)));
		b.textContent = 'Copied';
	} catch { b.textContent = 'Not copied'; }
	setTimeout(() => { b.textContent = 'Copy'; }, 2000);
});
on(window, 'popstate', () => go(location.href, false));
promise();
letters({n: () => $('.schedule .new select')?.focus(), r: () => $('a[href^="/run?"]', main())?.click(), m: () => $('a[href^="/map?"]', main())?.click()});

// A new row of the schedule waits until it names a kind, and a target if that needs one.
function ready(row) {
	const [kind, target, arg] = ['kind', 'target', 'arg'].map(n => $(`[name$=".${n}"]`, row));
	return !row || kind.value && (!kind.selectedOptions[0].hasAttribute('data-needs') || target.value || arg.value);
}

// The query of the page and the fields that were changed; of the schedule all rows
// or none, for they are numbered.
function changed(form) {
	const fields = [...form.elements].filter(f => f.name && f.type !== 'hidden'), rows = f => f.name.startsWith('fault.');
	const dirty = fields.filter(isDirty), p = new URLSearchParams(form.dataset.query);
	if (dirty.some(rows)) {
		p.delete('fault');
		for (const f of [...form.elements].filter(rows)) p.append(f.name, f.value);
	}
	for (const f of dirty) if (!rows(f)) {
		if (f.name.startsWith('set.')) p.append(f.name, f.value);
		else p.set(f.name, f.value);
	}
	return '/sandbox?' + p;
}

function isDirty(f) {
	if (f.type === 'radio') return f.checked && !f.defaultChecked;
	return f.options ? ![...f.options].some(o => o.selected && o.defaultSelected) && (f.selectedIndex > 0 || [...f.options].some(o => o.defaultSelected)) : f.value !== f.defaultValue;
}

async function go(url, push = true) {
	const turn = ++asked, at = document.activeElement, was = /** @type {any} */ (at)?.value;
	stop.abort();
	stop = new AbortController();
	main().ariaBusy = 'true';
	try {
		const answer = await fetch(url, {signal: stop.signal}), page = new DOMParser().parseFromString(await answer.text(), 'text/html'), next = $('main.sandbox', page);
		if (turn !== asked) return;
		if (!next) throw Error('another page');
		for (const d of $$('details[open]', main())) $('#' + CSS.escape(d.id), next)?.setAttribute('open', '');
		const now = /** @type {any} */ (document.activeElement), kept = now?.id && $('#' + CSS.escape(now.id), next);
		if (kept && now === at && now.value !== was || kept && now !== at && now.type === 'text') kept.value = now.value; // typed meanwhile
		main().replaceWith(next);
		(kept || at !== document.body && !at?.isConnected && instead(at, next))?.focus({preventScroll: true});
		put('#say', words($('#result > h3', next)) + ': ' + words($('#result > dl', next)));
		if (push) history.pushState(null, '', answer.url);
		promise();
	} catch {
		if (turn === asked) location.href = url;
	}
}

const words = el => el?.textContent.replace(/\s+/g, ' ').trim() || '';

// Where the focus goes when what had it is no longer there.
function instead(was, next) {
	const link = $$('a', next).find(a => words(a) === words(was)), top = $('h1', next);
	if (!link) top.tabIndex = -1;
	return link || top;
}

async function promise() {
	const box = $('#promise');
	if (!box || $('.promise-says', box)) return;
	try {
		const answer = await fetch(box.dataset.url, {signal: stop.signal}), text = await answer.text();
		if (answer.ok) {
			box.replaceChildren(...new DOMParser().parseFromString(text, 'text/html').body.childNodes);
			blame($('.cure', box));
			put('#say', 'This setup: ' + words($('.promise-says', box)));
		}
		else $('.needs-script', box).textContent = text;
	} catch {}
}

// The line that causes a bad promise is outlined in the form and in the product's
// settings, and the way out stands below both.
function blame(note) {
	if (!note) return;
	const key = CSS.escape(note.dataset.cause), kind = note.dataset.kind;
	for (const f of $$('[name="set.' + key + '"]')) if (f.type !== 'radio' || f.checked) f.closest('.knob, .kind').classList.add('cause', kind);
	for (const l of $$('[data-says="' + key + '"]')) l.classList.add('cause', kind);
	$('.cure-slot')?.replaceChildren(note.cloneNode(true));
}
