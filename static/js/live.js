// A run in real processes: its picture as it comes, and what is done to the processes.
import {$, attr, on, put, tall} from './dom.js';
import * as log from './log.js';
import * as say from './say.js';
import * as stage from './stage.js';
import {Store} from './store.js';

const path = '/live/' + $('main[data-live]').dataset.live, range = $('#live-at'), follow = $('#live-follow');
let store = new Store(), parts = new Store(), following = true, over = false, tries = 0;

function open() {
	const ws = new WebSocket(location.origin.replace('http', 'ws') + path + '/stream?' + tall.slice(1));
	ws.onclose = () => {
		if (over) return;
		if (!tries++) problem('Connection lost. The run goes on without this page; trying again.');
		setTimeout(open, Math.min(15, 2 ** tries) * 1000);
	};
	ws.onmessage = e => {
		const m = JSON.parse(e.data);
		if (tries) problem('');
		tries = 0;
		if (m.type === 'hello') {
			store = new Store(m.first);
			parts = new Store();
			range.min = m.first;
		} else if (m.type === 'events') {
			m.steps.forEach(s => store.add(s));
			show(following ? store.have : +range.value);
		} else if (m.type === 'state') {
			parts.add({e: {n: parts.have + 1, t: 0, kind: '', text: ''}, r: m.r, a: m.a});
			stage.commit(stage.plan(parts, parts.have));
			if (m.say) say.soon(m.say);
		} else {
			over = true;
			problem(m.message || m.text);
		}
	};
}

function show(n) {
	stage.commit(stage.plan(store, n));
	log.show(store, n);
	range.max = store.have;
	range.value = n;
	range.ariaValueText = `event ${n} of ${store.have}: ${store.event(n)?.text || 'the beginning'}`;
	put('[data-position]', n);
	put('[data-last]', store.have);
}

function problem(text) {
	const p = $('#live-problem');
	p.textContent = text;
	p.hidden = !text;
}

function keep(on) {
	following = on;
	follow.ariaPressed = '' + on;
	if (on && store.have >= store.first) show(store.have);
}

on(range, 'input', () => {
	keep(+range.value === store.have);
	show(+range.value);
});
on(follow, 'click', () => keep(!following));

// Tasks die with their process: task n of every operator runs on node n.
function crash(button) {
	const name = attr(button, 'data-crash'), at = name === 'coordinator' ? name : 'node/' + name.split('/')[1];
	$(`[data-process="${at}"] [value=kill]`)?.click();
}

on(document, 'click keydown', e => {
	const button = e.target.closest('[data-crash]'), row = e.target.closest('a[data-n]');
	if (e.type === 'keydown' && (!button || e.key !== 'Enter' && e.key !== ' ')) return;
	if (button) crash(button);
	else if (row && store.has(+row.dataset.n)) {
		keep(false);
		show(+row.dataset.n);
	} else return;
	e.preventDefault();
});

on(document, 'submit', async e => {
	const form = e.target, button = e.submitter;
	if (form.matches('[data-leave]')) return;
	e.preventDefault();
	if (attr(button, 'aria-disabled') === 'true') return say.alert('Not now: the process is not there, or in another state.');
	const body = new URLSearchParams(/** @type {any} */ (new FormData(form, button)));
	const r = await fetch(path, {method: 'POST', body, redirect: 'manual'}).catch(() => null);
	if (r?.type === 'opaqueredirect') return problem('');
	const page = new DOMParser().parseFromString(r ? await r.text() : '', 'text/html');
	problem($('#live-problem', page)?.textContent || $('main', page)?.textContent || 'That did not reach the server.');
});

open();
