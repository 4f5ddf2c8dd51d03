// A step plays a stretch of its run and stops; its button goes on.
import {$, $$, attr, focusOn, on, put} from './dom.js';
import {hold, main, n, play, run, runs, seek, start, state, write} from './page.js';
import {watch} from './stage.js';
import {Run} from './stream.js';
import {parse, stageOf} from './url.js';

const steps = $$('[data-segment]'), next = $('#next');
let i = steps.findIndex(s => s.hasAttribute('data-current')), step = steps[i];
let following = true, timer = 0, hand = -Infinity; // when the text was last moved by hand
let due = /^#step/.test(location.hash); // plays by itself, as it was gone on to

for (const t of ['wheel', 'touchmove', 'pointerdown']) addEventListener(t, () => { hand = performance.now(); }, {passive: true});
on(next, 'click', e => go() && e.preventDefault());
on(document, 'submit', e => e.target.matches('[data-bet]') && (e.preventDefault(), bet(e.target)));
const watcher = new IntersectionObserver(seen => {
	const beat = seen.find(s => s.isIntersecting)?.target;
	if (beat && following && performance.now() - hand < 1500 && /paused|ended/.test(state)) tell(beat);
}, {rootMargin: '0px 0px -67% 0px'});
for (const b of $$('[data-beat]')) watcher.observe(b);

const until = () => +attr(step, 'data-until-event');
const fault = () => attr(step, 'data-crash-fault');
// Whether its crash is still to come.
const asks = () => !!fault() && !new URLSearchParams(run.query).getAll('fault').includes(fault());
const target = () => /^crash:([^@]*)/.exec(fault())?.[1] || 'job'; // as crash buttons name it
const openBet = () => !!$('[data-bet]:not([data-answered])', step);
const isSegment = s => attr(s, 'data-kind') === 'segment';
const own = () => isSegment(step) && run.query === step.dataset.query;
const unseen = () => own() && !('seen' in step.dataset) && state !== 'playing';

// Whether a bet holds the run at a crash.
export const holds = () => !!fault() && !asks() && openBet();
export const judged = () => attr(step, 'data-kind') === 'level';
export const goal = () => own() && n < until() ? until() : Infinity;

export const moment = () => step ? parse(['seg=' + step.dataset.segment, ...$$('[data-answered] [name=bet]:checked').map(b => 'bet=' + attr(b, 'value'))].join('&')) : [];

function go() {
	if (!isSegment(step) || !run.hello) return false;
	return unseen() ? (play(), true) : asks() ? crash() : enter(i + 1);
}

export function shown() {
	if (!step) return;
	if (!own() || n >= until()) step.dataset.seen = '';
	if (due && own() && run.hello && !main.hasAttribute('data-waiting')) due = false, goal() < Infinity && play();
	const late = !unseen(), asking = late && asks();
	const label = late ? attr(step, asking ? 'data-crash-label' : 'data-do-label') : 'Watch';
	label && put('#next [data-label]', label);
	next.classList.toggle('asks-crash', asking);
}

export function arrived() {
	if (!step || n !== until() || !asks()) return;
	for (const b of $$(`[data-crash="${target()}"]`)) b.dataset.prompted = '';
	if (step.dataset.crashAuto > '0') timer = setTimeout(() => n === until() && asks() && crash(), step.dataset.crashAuto * 1000);
}

export const crashed = name => !!step && asks() && n === until() && name === target() && crash();

function crash() {
	const at = until();
	start(run.fork(run.query + '&fault=' + fault(), at), at + 1, openBet() ? [] : undefined);
	paint();
	return true;
}

function enter(k) {
	const to = steps[k], query = to?.dataset.query;
	if (!isSegment(to) || stageOf(query) !== stageOf(run.query)) {
		if (to) location.href = to.dataset.href;
		return !!to;
	}
	start(runs.get(query) || new Run(query), Math.min(Math.max(query === run.query ? n : 0, +to.dataset.startEvent), to.dataset.untilEvent), undefined, () => turn(k));
	due = true;
	paint();
	focusOn(to);
	reveal(to);
	return true;
}

function turn(k) {
	step = steps[i = k];
	post(location.pathname + '/seen', {seg: step.dataset.segment});
}

export function sync(id) {
	const k = steps.findIndex(s => s.dataset.segment === id);
	if (k >= 0) turn(k), paint();
}

function paint() {
	const asking = asks(), open = openBet() && !asking, place = $('#place-bet');
	clearTimeout(timer);
	for (const b of $$('[data-prompted]')) b.removeAttribute('data-prompted');
	steps.forEach((s, k) => {
		s.hidden = k > i;
		s.toggleAttribute('data-current', k === i);
	});
	step.toggleAttribute('data-bet-open', open);
	put('[data-step]', i + 1);
	shown();
	next.hidden = open;
	place.hidden = !open;
	place.setAttribute('form', attr($('[data-bet]', step), 'id'));
	for (const p of $$('.crash-prompt', step)) p.hidden = !asking;
	watch(attr(step, 'data-watch'));
}

const post = (to, body, kept = _ => {}) => fetch(to, {method: 'post', body: new URLSearchParams(body), keepalive: true}).then(kept, kept);

function bet(form) {
	form.dataset.answered = '';
	post(form.action, new FormData(form), r => { $('[data-unsaved]', form).hidden = r.ok; });
	for (const o of $$('[data-option]', form)) {
		o.classList.toggle('chosen', !!$(':checked', o));
		$('[data-why]', o).hidden = false;
	}
	hold(Infinity);
	write();
	paint();
	next.focus();
}

// Scrolls the text, not the page around it.
function reveal(el) {
	const prose = $('#prose');
	if (prose.scrollHeight > prose.clientHeight + 1) prose.scrollTop += el.getBoundingClientRect().top - prose.getBoundingClientRect().top;
	else el.scrollIntoView();
}

function tell(beat) {
	for (const b of $$('[data-beat]')) b.ariaCurrent = b === beat ? 'true' : null;
	seek(+beat.dataset.event);
	watch(attr(beat, 'data-watch'));
}

export function beat(way) {
	const all = $$('[data-segment]:not([hidden]) [data-beat]'), at = all.findIndex(b => b.ariaCurrent), to = all[at + way];
	if (to) reveal(to), tell(to);
}

export function follow(button) { button.ariaPressed = following = !following; }
