import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Clock, eventAt, nextMark} from '../../static/js/clock.js';

const times = [0, 5, 5, 5, 12, 512, 513];
const clock = (have = times.length - 1) => {
	const c = new Clock(n => n <= have ? {n, t: times[n], kind: "", text: ""} : undefined);
	c.pace = 10;
	c.start(0);
	return c;
};

test('events of one instant come together, at the pace of the scenario', () => {
	const c = clock();
	assert.equal(c.tick(0, 6, 40, 1), 0, '4 virtual ms');
	assert.equal(c.tick(0, 6, 10, 1), 3, '5 virtual ms');
	assert.equal(c.tick(3, 6, 60, 1), 3);
	assert.equal(c.tick(3, 6, 10, 1), 4);
});

test('speed divides the time, and a slow frame does not run away', () => {
	assert.equal(clock().tick(0, 6, 13, 4), 3, 'four times as fast');
	const c = clock();
	assert.equal(c.tick(0, 6, 60_000, 1), 3, 'a hidden tab: 100 ms at most, 10 of virtual time');
});

test('a long wait is cut, and never beyond the goal', () => {
	const c = clock();
	c.start(4);
	let real = 0, n = 4;
	while (n < 5) n = c.tick(n, 6, 50, 1), real += 50;
	assert.ok(real <= 1250, `500 virtual ms took ${real} real ms`);
	const d = clock();
	assert.equal(d.tick(0, 2, 100, 4), 2, 'the goal lies within an instant');
});

test('the clock waits for events that have not come', () => {
	const c = clock(3);
	assert.equal(c.tick(0, 6, 100, 4), 3);
	for (let i = 0; i < 50; i++) assert.equal(c.tick(3, 6, 100, 4), 3);
	c.event = n => ({n, t: times[n], kind: '', text: ''});
	assert.equal(c.tick(3, 6, 60, 1), 3, 'no time passed while it waited');
	assert.equal(c.tick(3, 6, 10, 1), 4);
});

test('a point of the track is an event', () => {
	assert.equal(eventAt(100, 100, 400, 236), 0);
	assert.equal(eventAt(300, 100, 400, 236), 118);
	assert.equal(eventAt(9999, 100, 400, 236), 236);
	assert.equal(eventAt(-5, 100, 400, 236), 0);
	assert.equal(eventAt(50, 0, 0, 10), 10, 'a track without width');
});

test('marks are visited in order, with the ends of the run', () => {
	const marks = /** @type {[number, string][]} */ ([[9, 'barrier.injected'], [16, 'checkpoint.complete']]);
	assert.deepEqual([0, 9, 12, 16, 30].map(n => nextMark(marks, n, 1, 30)), [9, 16, 16, 30, 30]);
	assert.deepEqual([0, 9, 12, 16, 30].map(n => nextMark(marks, n, -1, 30)), [0, 0, 9, 9, 16]);
});
