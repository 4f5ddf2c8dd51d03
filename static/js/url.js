const RUN = ['scenario', 'set', 'seed', 'fault', 'input']; // what a run is a function of
const MOMENT = ['at', 'card', 'projector'];

/** @param {Pairs} pairs */
export const query = pairs => pairs.map(([k, v]) => k + '=' + encodeURIComponent(v).replace(/%(3A|40|2F|3D|2C)/g, decodeURIComponent)).join('&');

/** @returns {Pairs} */
export const parse = search => [...new URLSearchParams(search)];

/** Without what struck later. @param {Struck[]} faults */
export function withCrash(run, faults, target, n) {
	const pairs = parse(run).filter(([k]) => k !== 'fault');
	for (const f of faults || []) if (f.n <= n) pairs.push(['fault', f.fault]);
	pairs.push(['fault', (/:|^sec/.test(target) ? target : target === 'job' ? 'crash-job' : `crash${/^node./.test(target) ? '-node' : ''}:${target}`) + '@' + n]);
	return query(pairs.sort((a, b) => RUN.indexOf(a[0]) - RUN.indexOf(b[0])));
}

/** What belongs to the page itself stays. @param {Pairs} moment */
export function pageUrl(path, search, run, moment) {
	const gone = [...RUN, ...MOMENT, ...moment.map(m => m[0])];
	return path + '?' + query([...parse(search).filter(([k]) => !gone.includes(k) && !k.startsWith('predict')), ...parse(run), ...moment]);
}

export const stageOf = run => query(parse(run).filter(([k]) => k !== 'fault'));
