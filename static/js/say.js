import {$, put} from './dom.js';

const PAUSE = 2000; // ms between announcements while playing
let waiting = [], last = 0, timer = 0;

export function now(text) {
	const list = $('#say'), p = document.createElement('p');
	p.textContent = text;
	if (text) list?.append(p);
	if (list?.children.length > 3) list.firstElementChild.remove();
	last = Date.now();
}

export function soon(text) {
	waiting.push(text);
	timer ||= setTimeout(flush, last + PAUSE - Date.now());
}

export function flush() {
	clearTimeout(timer);
	timer = 0;
	if (waiting.length) now(waiting.splice(0).join(' '));
}

export const drop = () => { waiting = []; };
export const alert = text => put('#alert', text);
