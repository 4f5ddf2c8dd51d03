// What keeps its id glides: a clone in the overlay, only translated.
import {$, $$} from './dom.js';

const MANY = 60; // more things than this swap
const layer = $('[data-overlay]'), svg = layer?.ownerSVGElement;
/** @type {Map<string, Flight>} */ const flights = new Map();

export const before = plan => new Map(things(plan).map(el => [el.dataset.id, flying(el.dataset.id) || place(el)]));

// All reads, then all writes.
export function after(plan, old, ms) {
	const moves = [];
	for (const el of things(plan)) {
		const from = old.get(el.dataset.id) || birth(el.dataset.from, old), to = from && place(el);
		if (to && Math.hypot(to.x - from.x, to.y - from.y) > .5) moves.push([el, from, to]);
	}
	if (moves.length <= MANY) for (const [el, from, to] of moves) fly(el, from, to, ms);
	for (const [id, f] of flights) if (!f.el.isConnected) land(id);
}

export function clear() { for (const id of flights.keys()) land(id); }

const things = plan => layer ? plan.regions.flatMap(r => $$('[data-id]', r[1])) : [];

function flying(id) {
	const f = flights.get(id), part = f?.anim.effect.getComputedTiming().progress ?? 1, mix = k => f.from[k] + part * (f.to[k] - f.from[k]);
	return f && {x: mix('x'), y: mix('y')};
}

// A new thing starts where the one it came from is, or was.
function birth(id, old) {
	const at = old.get(id) || flying(id), el = id && !at && $(`[data-id="${CSS.escape(id)}"]`);
	return el ? place(el) : at;
}

function fly(el, from, to, ms) {
	const {id} = el.dataset, shape = el instanceof SVGElement ? el : $('svg', el), f = flights.get(id);
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
		flights.set(id, {copy, el: shape, from, to, anim});
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

// Read from the drawing, which only translates: to answer, the browser would lay all out.
function place(el) {
	const at = {x: 0, y: 0, w: 1};
	if (el.ownerSVGElement !== svg) {
		const box = ($('svg', el) || el).getBoundingClientRect(), m = layer.getScreenCTM() || new DOMMatrix();
		return {x: (box.x - m.e) / m.a, y: (box.y - m.f) / m.a, w: 1 / m.a};
	}
	for (; el !== svg; el = el.parentNode) for (const t of el.transform.baseVal) at.x += t.matrix.e, at.y += t.matrix.f;
	return at;
}
