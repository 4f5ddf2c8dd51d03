import {$, $$, attr, on, put} from './dom.js';
import {act, inspect, press, root} from './page.js';

const KEYS = {' ': 'play', ArrowRight: 'forward', ArrowLeft: 'back', 'Shift+ArrowRight': 'next-mark', 'Shift+ArrowLeft': 'last-mark', Home: 'start', End: 'end',
	'[': 'slower', ']': 'faster', '?': 'keys', v: 'verdict', l: 'log', p: 'projector', b: 'hide', c: 'share', m: 'map', d: 'describe', j: 'next-beat', u: 'last-beat',
	PageDown: 'next-beat', PageUp: 'last-beat', Escape: 'close'};
const WAYS = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};
let armed = [];

on(document, 'keydown', e => key(e) && e.preventDefault());
for (const b of $$('#keys input')) {
	try { if (localStorage[b.name]) b.checked = localStorage[b.name] === 'on'; } catch {}
	on(b, 'change', () => localStorage[b.name] = b.checked ? 'on' : 'off');
}
focusNode($('[data-task]'));

function key(e) {
	const t = e.target, key = e.key[1] ? e.key : e.key.toLowerCase(), button = t.closest('[data-crash]'), node = t.closest('[data-task]');
	if (e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || key === 'Shift' || $('#menu:popover-open')) return false;
	if (armed.length) return pick(key);
	if (button && (key === 'Enter' || key === ' ')) return e.repeat || press(button), true;
	if (node && !e.shiftKey && rove(node, key)) return true;
	if (key !== 'Escape' && ($('[data-do=single-keys]')?.checked === false || t.closest('input,textarea,select,dialog'))) return false;
	if (key === 'Escape' && t.matches('.term')) return t.blur(), true;
	if (key === ' ' && t.closest('a,button,summary,.term') || key.startsWith('Page') && !root.hasAttribute('data-projector')) return false;
	return key === 'k' ? arm() : act(KEYS[(e.shiftKey && key[1] ? 'Shift+' : '') + key]);
}

function arm() {
	armed = $$('[data-crash]').filter(b => b.getClientRects().length);
	armed.forEach((b, i) => {
		b.dataset.key = (i + 1).toString(36);
		put('[data-crash-key]', b.dataset.key, b);
	});
	return root.toggleAttribute('data-armed', armed.length > 0);
}

function pick(key) {
	const b = armed.find(b => b.dataset.key === key);
	armed = [];
	root.removeAttribute('data-armed');
	if (b) press(b);
	return true;
}

function rove(from, key) {
	const way = WAYS[key], [x0, y0] = middle(from);
	let best, least = Infinity;
	if (key === 'Enter') inspect(attr(from, 'data-task'));
	else if (key === 'k') press($('[data-crash]', from));
	else if (!way) return false;
	if (way) for (const el of $$('[data-task]')) {
		const [x, y, half] = middle(el), ahead = (x - x0) * way[0] + (y - y0) * way[1], aside = way[1] ? Math.max(0, Math.abs(x - x0) - half) : Math.abs(y - y0), d = ahead + 2 * aside;
		if (ahead > 8 && d < least && !(way[1] && aside > ahead)) best = el, least = d;
	}
	focusNode(best);
	best?.focus();
	return true;
}

// One tab stop: node and crash button.
function focusNode(node) {
	if (node) for (const el of $$('[data-task]')) for (const stop of [el, ...$$('[data-crash]', el)]) stop.tabIndex = el === node ? 0 : -1;
}

function middle(el) {
	const {x, y, width, height} = el.getBoundingClientRect();
	return [x + width / 2, y + height / 2, width / 2];
}
