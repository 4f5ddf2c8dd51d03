// A bar while the connection is lost; tries with back-off.
import {$, on, put} from './dom.js';
import {connection} from './page.js';

let again = []; // what failed and is tried again
let tries = 0, left = 0, timer = 0;
export let isLost = false;

on(window, 'online', () => isLost && retry());

export function lost(failed) {
	again.push(failed);
	if (timer) return;
	left = Math.min(15, 2 ** tries++); // seconds
	timer = setInterval(() => --left > 0 ? paint('lost') : retry(), 1000);
	paint('lost');
	if (!isLost) connection(isLost = true);
}

export function retry() {
	clearInterval(timer);
	timer = 0;
	for (const f of again.splice(0)) f();
}

export function ok() {
	if (!isLost) return;
	tries = 0;
	paint('back');
	connection(isLost = false);
	setTimeout(() => isLost || paint(''), 4000);
	retry();
}

export function paint(state) {
	const bar = $('#net');
	if (!bar) return;
	bar.hidden = !state;
	bar.dataset.net = state;
	put('[data-seconds]', left, bar);
}

/** Fetches as soon as there is a connection. @param [signal] @returns {Promise<Response>} */
export const get = (url, signal) => new Promise((done, refused) => {
	const go = () => fetch(url, {signal}).then(async r => {
		if (r.status > 501) return lost(go); // a proxy, or busy
		ok();
		if (r.ok) done(r); else refused(Error((await r.text()).replace(/<[^>]*>/g, ' ')));
	}, () => signal?.aborted || lost(go));
	go();
});
