import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {test} from 'node:test';

const dir = new URL('../../static/js/', import.meta.url);
const files = readdirSync(dir).filter(f => f.endsWith('.js')).map(f => ({f, text: readFileSync(new URL(f, dir), 'utf8')}));

/** All modules that come along with one: its static imports and theirs. */
const closure = (name, seen = new Set()) => {
	if (seen.has(name)) return seen;
	seen.add(name);
	for (const [, dep] of files.find(({f}) => f === name).text.matchAll(/^(?:import|export)\b[^'"]*['"]\.\/([\w-]+\.js)['"]/gm)) closure(dep, seen);
	return seen;
};
const weigh = names => files.filter(({f}) => names.has(f)).reduce((sum, {text}) => sum + Buffer.byteLength(text), 0);

test('what one page loads, comments included, fits into 40 KB; all of it into 64 KB', () => {
	const entries = [...files.find(({f}) => f === 'main.js').text.matchAll(/import\('\.\/([\w-]+\.js)'\)/g)].map(([, f]) => f);
	assert.ok(entries.length > 0);
	for (const entry of entries) {
		const bytes = weigh(new Set(['main.js', 'theme.js', ...closure(entry)]));
		assert.ok(bytes <= 40_000, `${entry} and what it imports: ${bytes} bytes`);
	}
	const all = weigh(new Set(files.map(({f}) => f)));
	assert.ok(all <= 64_000, `${all} bytes`);
});

test('regions have one writer, and nothing in them is styled by script', () => {
	for (const {f, text} of files) {
		if (/innerHTML\s*=/.test(text)) assert.ok(['stage.js', 'card.js', 'timeline.js', 'twin.js', 'map.js'].includes(f), `${f} writes markup`);
		assert.doesNotMatch(text, /\.style\b|cssText|setAttribute\('style'/, `${f} sets styles`);
	}
});
