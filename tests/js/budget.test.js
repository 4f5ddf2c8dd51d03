import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {test} from 'node:test';

const dir = new URL('../../static/js/', import.meta.url);
const files = readdirSync(dir).filter(f => f.endsWith('.js')).map(f => ({f, text: readFileSync(new URL(f, dir), 'utf8')}));

test('all our JavaScript, comments included, fits into 40 KB', () => {
	const bytes = files.reduce((sum, {text}) => sum + Buffer.byteLength(text), 0);
	assert.ok(bytes <= 40_000, `${bytes} bytes`);
});

test('regions have one writer, and nothing in them is styled by script', () => {
	for (const {f, text} of files) {
		if (/innerHTML\s*=/.test(text)) assert.ok(['stage.js', 'card.js', 'timeline.js'].includes(f), `${f} writes markup`);
		assert.doesNotMatch(text, /\.style\b|cssText|setAttribute\('style'/, `${f} sets styles`);
	}
});
