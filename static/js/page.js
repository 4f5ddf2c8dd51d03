import * as card from './card.js';
import {Clock, nextMark} from './clock.js';
import {$, $$, attr, focusOn, on, put} from './dom.js';
import * as glide from './glide.js';
import './keys.js';
import * as lesson from './lesson.js';
import * as log from './log.js';
import * as net from './net.js';
import * as say from './say.js';
import * as stage from './stage.js';
import {Run, stream} from './stream.js';
import * as timeline from './timeline.js';
import {pageUrl, parse, stageOf, withCrash} from './url.js';

const MOVE = 420; // ms at 1×
const KEPT = 6; // runs
const SPEEDS = {'speed-025': .25, 'speed-05': .5, 'speed-1': 1, 'speed-4': 4}, speeds = Object.values(SPEEDS);
export const root = document.documentElement, main = $('main[data-query]');

export let state = 'loading'; // paused, playing, frozen, ended
export let n = +main.dataset.at, run = new Run(main.dataset.query);
export const runs = new Map();
let limit = Infinity; // may be seen
let goal, want, timer, looking, speed = 1, closeStream = () => {};
let cards = cardOf();
let answers = null; // predicted
const clock = new Clock(i => run.event(i));

on(document, 'click', click);
on(window, 'popstate', e => e.state ? back(e.state.run) : write()); // no state: a link within the page
on(window, 'pagehide', write);
on(window, 'pageshow', e => e.persisted && net.retry());
history.replaceState({run: run.query}, '');
if (card.form() || lesson.holds()) hold(n);
use(run, n);

function use(r, at) {
	closeStream();
	run = r;
	runs.delete(r.query);
	runs.set(r.query, r);
	if (runs.size > KEPT) runs.delete(runs.keys().next().value);
	say.drop();
	welcome();
	show(at);
	closeStream = stream(r, at, (type, message) => {
		if (type === 'hello') welcome();
		if (type === 'error') refused(Error(message));
		show(want ?? n);
		paint();
	});
}

function welcome() {
	const h = run.hello;
	if (!h) return;
	clock.pace = h.run.pace;
	timeline.draw(run.query, h.timeline);
	timeline.hide(limit);
	put('main [data-last]', h.last);
}

function refused(e) {
	say.alert(e.message);
	if (runs.size > 1) location.reload();
}

function show(at, gliding = false) {
	at = Math.max(0, Math.min(at, limit, run.hello?.last ?? at));
	const ready = run.need(at), store = run.at(at), before = n;
	want = store ? undefined : at;
	main.toggleAttribute('data-waiting', !store);
	if (!store) return void ready?.then(() => want === at && show(at), refused);
	const plan = stage.plan(store, at), calm = $('[name=calm]').checked || matchMedia('(prefers-reduced-motion: reduce)').matches, old = gliding && !calm && glide.before(plan);
	if (!old) glide.clear();
	stage.commit(plan);
	if (old) glide.after(plan, old, MOVE / speed);
	n = at;
	if (calm && n !== before) stage.outline(plan.regions.map(r => r[1]));
	run.seen = Math.max(run.seen, n);
	log.show(store, n);
	timeline.show(n, run.last, store.event(n).text);
	put('main [data-position]', n);
	main.dataset.position = '' + n;
	if (state !== 'playing' && state !== 'frozen') become(run.hello && n === run.last ? 'ended' : 'paused');
}

export function seek(at, gliding = false) {
	if (state === 'playing') stop();
	show(at, gliding);
	clearTimeout(timer);
	timer = setTimeout(rest, 400);
}

function step(at) {
	seek(at, at === n + 1);
	say.now(run.event(n)?.text);
}

function mark(way) { step(nextMark(run.hello?.marks || [], n, way, run.last)); }

export function play(to = lesson.goal()) {
	if (state !== 'paused' && state !== 'ended') return;
	if (state === 'ended' && answers === null) show(0);
	goal = to;
	clock.start(n);
	become('playing');
	let last = performance.now();
	requestAnimationFrame(function tick(now) {
		if (state !== 'playing') return;
		const end = Math.min(goal, run.last), before = n, at = clock.tick(n, end, now - last, speed);
		last = now;
		if (at > n) show(at, speed < 4); else run.need(n + 1);
		for (let i = before, e; e = i++ < at && run.event(i);) if (e.loud) say.soon(e.text);
		if (run.hello && n >= end) arrive(); else requestAnimationFrame(tick);
	});
}

function stop() {
	become(n === run.last ? 'ended' : 'paused');
	say.flush();
}

function arrive() {
	stop();
	rest();
	if (n === run.last) say.now(run.verdict);
	if (answers === null) lesson.arrived(); else reveal();
}

export function rest() {
	write();
	if (card.side?.hidden === false) inspect(looking, true);
}

export function press(button) {
	const target = attr(button, 'data-crash');
	button.closest('details')?.removeAttribute('open');
	if (attr(button, 'aria-disabled') || !run.hello) say.alert(`Not now: ${net.isLost ? 'the connection is lost' : 'the run is frozen at a crash'}.`);
	else if (!lesson.crashed(target)) crash(target, button);
}

function crash(target, button) {
	const a = run, at = n;
	const fork = $('#fork'), b = withCrash(a.query, a.hello.run.faults, target, at), [back, twin] = $$('a', fork);
	back.href = url(a.query, at, []);
	twin.href = `/twin?${a.query}&other=${b.match(/.*&(fault=[^&]*)/)[1]}`;
	start(a.fork(b, at), at + 1, [['card', 'predict']]);
	put('[data-fork=ends]', a.last);
	put('[data-fork=at]', at);
	fork.hidden = a.seen <= at;
	say.alert(`Fault after event ${at}: ${target}. What will the outside world show?`);
	predict(button);
}

/** @param {Pairs} [ask] holds the run until answered @param [turn] comes between the URLs */
export function start(r, at, ask, turn) {
	if (state === 'playing') stop();
	write();
	turn?.();
	close();
	cards = ask || [];
	history.pushState({run: r.query}, '', url(r.query, at));
	hold(ask ? at : Infinity);
	use(r, at);
}

export function hold(at) {
	limit = at;
	answers = null;
	timeline.hide(at);
	become(at < Infinity ? 'frozen' : 'paused');
}

const open = (path, opener) => card.load(card.card, '/card/' + path, opener).catch(refused);
const predict = button => open(`predict?${run.query}&at=${limit}`, button);

export function recover(given) {
	const at = limit;
	close();
	hold(Infinity);
	answers = given;
	show(at);
	play(Infinity);
}

function reveal() {
	cards = [['card', 'reveal'], ...parse(answers)];
	write();
	if (lesson.judged()) return location.reload(); // the page judges the level
	open(`reveal?${run.query}&${answers}`);
	answers = null;
}

const url = (query, at, shown = cards) => pageUrl(location.pathname, location.search, query, [...lesson.moment(),
	...parse(root.hasAttribute('data-projector') ? 'projector=1' : ''), ['at', '' + at], ...shown]);

function cardOf() { return parse(location.search).filter(([k]) => k === 'card' || k.startsWith('predict')); }

export function write() {
	clearTimeout(timer);
	try { if (state !== 'loading') history.replaceState({run: run.query}, '', url(run.query, n)); } catch {}
}

function back(query) {
	if (stageOf(query) !== stageOf(run.query)) return location.reload();
	const p = new URLSearchParams(location.search), kind = p.get('card'), at = +p.get('at');
	close();
	cards = cardOf();
	$('#fork').hidden = true;
	run = runs.get(query) || new Run(query);
	lesson.sync(p.get('seg'));
	hold(kind === 'predict' || lesson.holds() ? at : Infinity);
	use(run, at);
	if (kind === 'predict') predict();
	if (kind === 'reveal') open('reveal' + location.search);
}

function click(e) {
	const t = e.target, button = t.closest('[data-crash],[data-do]'), link = t.closest('a[data-n],a[data-event]');
	const thing = !t.closest('a,button') && t.closest('#stage [data-id],#stage [data-task],#shelf [data-id]');
	if (e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey) return;
	if (button?.matches('[data-crash]')) press(button);
	else if (button ? !act(button.dataset.do, button) : !link && !thing) return;
	else if (link) seek(+(attr(link, 'data-n') || attr(link, 'data-event')));
	else if (thing) inspect(attr(thing, 'data-id') || attr(thing, 'data-task'));
	e.preventDefault();
}

const ACTIONS = {
	play: () => state === 'playing' ? (stop(), rest()) : play(),
	start: () => step(0),
	end: () => step(run.last),
	forward: () => step((want ?? n) + 1),
	back: () => step((want ?? n) - 1),
	'next-mark': () => mark(1),
	'last-mark': () => mark(-1),
	'next-beat': () => lesson.beat(1),
	'last-beat': () => lesson.beat(-1),
	slower: () => pace(speeds[speeds.indexOf(speed) - 1]),
	faster: () => pace(speeds[speeds.indexOf(speed) + 1]),
	skip: () => recover(''),
	close: () => card.close(card.side) || state === 'frozen' || (card.card.hidden && root.removeAttribute('data-projector'), close(), write()),
	keys: () => $('#keys')?.showModal(),
	verdict: () => focusOn($('#verdict')),
	log: () => focusOn($('#log')),
	hide: () => main.toggleAttribute('data-no-verdict'),
	map: () => location.assign(`/map?${run.query}&at=${n}`),
	projector: () => (root.toggleAttribute('data-projector'), write()),
	follow: lesson.follow,
	retry: net.retry,
	dismiss: () => net.paint(''),
	share,
	copy: b => copy($('textarea', b.parentNode).value),
	describe: () => inspect('moment'),
	inspect: b => inspect(attr(b, 'data-what')),
};
for (const s in SPEEDS) ACTIONS[s] = () => pace(SPEEDS[s]);

/** @returns if it is known @param [button] */
export function act(name, button) {
	ACTIONS[name]?.(button);
	return name in ACTIONS;
}

function pace(to) {
	speed = to || speed;
	paint();
}

export function inspect(what, again = false) {
	looking = what;
	card.load(card.side, `/card/inspect?${run.query}&at=${n}&what=${encodeURIComponent(what)}`, document.activeElement, again).catch(e => say.alert(e.message));
}

function close() {
	card.close(card.side);
	card.close(card.card);
	cards = [];
	answers = null;
}

function share() {
	write();
	inspect('share');
	copy(location.origin + url(run.query, n, []));
}

async function copy(text) {
	try { await navigator.clipboard.writeText(text); say.now('Copied.'); } catch { say.now('Not copied.'); }
}

function become(to) {
	state = main.dataset.state = to;
	paint();
}

export function connection(lost) {
	say.alert(lost ? 'Connection lost. What was received stays.' : `Back. Same run, same event ${n}.`);
	paint();
}

function paint() {
	const off = {start: !n, back: !n, play: state === 'frozen', forward: n >= Math.min(run.last, limit)};
	for (const b of $$('#transport [data-do]')) {
		const what = b.dataset.do;
		if (what in off) b.ariaDisabled = '' + off[what];
		if (what in SPEEDS) b.ariaPressed = '' + (SPEEDS[what] === speed);
	}
	put('[data-do=play] [data-label]', {playing: 'Pause', ended: 'Replay'}[state] || 'Play');
	for (const b of $$('[data-crash]')) b.ariaDisabled = state === 'frozen' || net.isLost ? 'true' : null;
	main.toggleAttribute('data-complete', run.done);
	lesson.shown();
}
