import {eventAt} from './clock.js';
import {$, $$, attr, on, put} from './dom.js';
import {rest, seek} from './page.js';

const el = $('#timeline');
let drawn, last = 0, x = 0, drag = false, frame = 0;

function aim(e) {
	x = e.clientX;
	frame ||= requestAnimationFrame(() => {
		const box = $('.track', el).getBoundingClientRect();
		frame = 0;
		seek(eventAt(x, box.left, box.width, last));
	});
}

on(el, 'pointerdown', e => {
	if (e.button) return;
	el.setPointerCapture(e.pointerId);
	el.focus({preventScroll: true});
	drag = true;
	aim(e);
});
on(el, 'pointermove', e => drag && aim(e));
on(el, 'pointerup pointercancel', () => {
	drag = false;
	requestAnimationFrame(rest);
});

export function draw(query, markup) {
	if (el && drawn && query !== drawn) el.innerHTML = markup;
	drawn = query;
}

export function show(n, end, text) {
	const track = $('.track', el), at = Math.round(+attr(track, 'width') * n / (end || 1));
	if (!track) return;
	last = end;
	Object.assign(el, {ariaValueMax: last, ariaValueNow: n, ariaValueText: `event ${n} of ${last}: ${text}`});
	$('.done', el)?.setAttribute('width', String(at));
	for (const part of $$('.ring,.bubble', el)) part.setAttribute('transform', `translate(${+attr(track, 'x') + at} 0)`);
	put('.bubble text', n, el);
}

// Marks beyond the limit may not be seen yet.
export function hide(limit) { for (const m of $$('[data-n]', el)) m.toggleAttribute('data-future', +m.dataset.n > limit); }
