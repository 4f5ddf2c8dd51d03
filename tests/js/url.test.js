import assert from 'node:assert/strict';
import {test} from 'node:test';
import {pageUrl, query, stageOf, withCrash} from '../../static/js/url.js';

const run = 'scenario=hook&set=sink=upsert&seed=7&fault=slow:count/0:x20@3&fault=crash-job@before:txn.commit~2&input=z.abc';
const struck = [{fault: 'slow:count/0:x20@3', n: 4}, {fault: 'crash-job@before:txn.commit~2', n: 60}];

test('a crash adds a fault and drops those that struck later', () => {
	assert.equal(withCrash(run, struck, 'count/1', 57),
		'scenario=hook&set=sink=upsert&seed=7&fault=slow:count/0:x20@3&fault=crash:count/1@57&input=z.abc');
	assert.match(withCrash(run, struck, 'job', 60), /fault=crash-job@before:txn\.commit~2&fault=crash-job@60/);
	assert.match(withCrash(run, struck, 'job', 59), /x20@3&fault=crash-job@59/, 'the same gap: the new one replaces');
	assert.equal(withCrash('scenario=a', [], 'coordinator', 0), 'scenario=a&fault=crash:coordinator@0');
	assert.equal(withCrash('scenario=a', [], 'node/1', 0), 'scenario=a&fault=crash-node:node/1@0');
	for (const f of ['pause:sink/0:8s', 'second-job', 'storage-down:2s']) assert.equal(withCrash('scenario=a', [], f, 7), `scenario=a&fault=${f}@7`);
});

test('queries can be read and read back', () => {
	const pairs = [['fault', 'crash:count/1@after:x(P0:3)~2'], ['set', 'a=b&c d+e%']];
	const q = query(pairs);
	assert.ok(q.startsWith('fault=crash:count/1@after:x(P0:3)~2&set=a='), q);
	assert.deepEqual([...new URLSearchParams(q)], pairs);
});

test("the page's own parameters stay, the old moment goes", () => {
	assert.equal(pageUrl('/lessons/x', '?seg=2&embed=1&scenario=old&fault=f&at=3&card=predict&predict-0=a:exact', 'scenario=new', [['seg', '3'], ['at', '9']]),
		'/lessons/x?embed=1&scenario=new&seg=3&at=9');
});

test('runs that differ only in faults share a stage', () => {
	assert.equal(stageOf(run), stageOf(withCrash(run, struck, 'job', 9)));
	assert.notEqual(stageOf(run), stageOf(run.replace('seed=7', 'seed=8')));
});
