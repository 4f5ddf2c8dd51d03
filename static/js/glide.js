// What keeps its id glides: a clone in the overlay, only translated.
import {$, $$, attr} from './dom.js';

const MANY = 60; // more things than this swap
const layer = $('[data-overlay]');
/** @type {Map<string, Flight>} */ const flights = new Map();
/** @type {DOMMatrix} */ let inverse;

/** @param {Plan} plan */
export function before(plan) {
	inverse = layer?.getScreenCTM()?.inverse();
	return new Map(things(plan).map(el => [el.dataset.id, flying(el.dataset.id) || place(el)]));
}

// All reads, then all writes.
export function after(plan, old, ms) {
	const moves = [];
	for (const el of things(plan)) {
		const from = old.get(el.dataset.id) || birth(el.dataset.from, old), to = from && place(el);
		if (from && Math.hypot(to.x - from.x, to.y - from.y) > .5) moves.push([el, from, to]);
	}
	if (moves.length <= MANY) for (const [el, from, to] of moves) fly(el, from, to, ms);
	for (const [id, f] of flights) if (!f.el.isConnected) land(id);
}

export function clear() { for (const id of [...flights.keys()]) land(id); }

const things = plan => inverse ? plan.regions.flatMap(r => $$('[data-id]', r[1])) : [];

const flying = id => flights.has(id) && place(flights.get(id).copy);

// A new thing starts where the one it came from is, or was.
function birth(id, old) {
	const at = old.get(id) || flying(id), el = id && !at && $(`[data-id="${CSS.escape(id)}"]`);
	return el ? place(el) : at;
}

function fly(el, from, to, ms) {
	const id = attr(el, 'data-id'), shape = el instanceof SVGElement ? el : $('svg', el), f = flights.get(id);
	if (!shape) return;
	if (f && Math.hypot(f.to.x - to.x, f.to.y - to.y) < 1) f.el = shape; // drawn again: it flies on
	else {
		land(id);
		const copy = document.createElementNS('http://www.w3.org/2000/svg', 'g'), clone = shape.cloneNode(true);
		clone.removeAttribute('data-id');
		clone.setAttribute('transform', `scale(${to.w})`);
		copy.append(clone); // WebKit moves no nested <svg>
		layer.append(copy);
		const anim = copy.animate([from, to].map(p => ({transform: `translate(${p.x}px,${p.y}px)`})), {duration: ms, easing: 'cubic-bezier(.3,0,.2,1)'});
		anim.startTime = document.timeline.currentTime; // else a hidden tab may keep it
		anim.onfinish = () => land(id);
		flights.set(id, {copy, el: shape, to, anim});
	}
	shape.setAttribute('visibility', 'hidden');
}

function land(id) {
	const f = flights.get(id);
	flights.delete(id);
	f?.anim.cancel();
	f?.copy.remove();
	f?.el.removeAttribute('visibility');
}

// In the overlay's units; w is the scale.
function place(el) {
	const m = el.ownerSVGElement && inverse.multiply(el.getScreenCTM());
	if (m) return new DOMPoint(m.e, m.f, 0, m.a);
	const box = ($('svg', el) || el).getBoundingClientRect(), p = new DOMPoint(box.x, box.y).matrixTransform(inverse);
	return new DOMPoint(p.x, p.y, 0, inverse.a);
}
