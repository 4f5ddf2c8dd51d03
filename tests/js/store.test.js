import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Store} from '../../static/js/store.js';

const ev = (n, more = {}) => ({e: {n, t: n * 10, kind: 'k', text: 'event ' + n}, ...more});

function three() {
	const s = new Store();
	s.add(ev(0, {r: {a: 'a0', b: ''}, a: {node: {class: 'idle'}}, l: ''}));
	s.add(ev(1, {r: {b: 'b1'}, l: '<li>1'}));
	s.add(ev(2, {r: {a: 'a2', b: ''}, a: {node: {class: 'busy'}}, l: '<li>2'}));
	s.add(ev(3));
	return s;
}
const at = (s, name, n) => Store.at(s.regions.get(name), n);

test('a region holds its version until the next, both ways, empty ones too', () => {
	const s = three();
	const picture = n => [at(s, 'a', n), at(s, 'b', n), Store.at(s.attrs.get('node\nclass'), n)];
	const all = [['a0', '', 'idle'], ['a0', 'b1', 'idle'], ['a2', '', 'busy'], ['a2', '', 'busy']];
	for (const n of [0, 1, 2, 3, 2, 1, 0]) assert.deepEqual(picture(n), all[n], `event ${n}`);
	assert.equal(at(s, 'nowhere', 2), undefined);
});

test('a fork shares what came before and changes nothing in its origin', () => {
	const s = three(), f = s.fork(1);
	assert.equal(f.have, 1);
	assert.equal(f.event(2), undefined);
	f.add(ev(2, {r: {a: 'other'}, l: '<li>crash'}));
	assert.equal(at(f, 'a', 1), 'a0');
	assert.equal(at(f, 'b', 2), 'b1');
	assert.equal(at(f, 'a', 2), 'other');
	assert.equal(at(s, 'a', 2), 'a2');
	assert.equal(s.row(2), '<li>2');
	assert.equal(f.row(2), '<li>crash');
});

test('a resumed stream may repeat steps, but none may be missing', () => {
	const s = three();
	s.add(ev(2, {r: {a: 'again'}}));
	assert.equal(at(s, 'a', 3), 'a2');
	assert.throws(() => s.add(ev(5)), /event 5 came after 3/);
});

test('a window starts where its keyframe is', () => {
	const w = new Store(500);
	assert.equal(w.has(500), false);
	w.add(ev(500, {r: {a: 'key'}}));
	w.add(ev(501, {l: '<li>'}));
	assert.deepEqual([w.has(499), w.has(500), w.has(501), w.has(502)], [false, true, true, false]);
	assert.equal(at(w, 'a', 501), 'key');
	assert.equal(w.event(501).n, 501);
	assert.equal(w.row(500), '');
});
