// A classic script, before the first paint.
(() => {
	const root = document.documentElement, next = {auto: 'light', light: 'dark', dark: 'auto'};
	let now = 'auto';
	const set = theme => {
		now = theme in next ? theme : 'auto';
		if (now === 'auto') delete root.dataset.theme; else root.dataset.theme = now;
		for (const b of document.querySelectorAll('[data-do=theme]')) b.ariaLabel = `Theme: ${now}. Change`;
	};
	const load = () => { try { set(localStorage.theme); } catch {} };
	load();
	addEventListener('DOMContentLoaded', () => set(now));
	addEventListener('storage', load);
	addEventListener('click', e => {
		if (!(e.target instanceof Element) || !e.target.closest('[data-do=theme]')) return;
		set(next[now]);
		try { localStorage.theme = now; } catch {}
	});
})();
