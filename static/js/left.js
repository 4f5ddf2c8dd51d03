// The clock of an interview ticks, by the minute where motion is reduced. It is no
// live region: only that the time is over is said, once.
import {$, put} from './dom.js';

const clock = $('[data-ends]'), over = $('[data-over]');
const step = matchMedia('(prefers-reduced-motion: reduce)').matches ? 60 : 1;

function tick() {
	const left = Math.ceil(+clock.dataset.ends - Date.now() / 1000);
	if (left <= 0) {
		if ($('[data-left]', clock)?.textContent) over.textContent = over.dataset.over;
		clock.textContent = over.dataset.over;
		return;
	}
	const m = Math.floor(left / 60), s = String(left % 60).padStart(2, '0');
	put('[data-left]', step > 1 ? `${m || 'Less than 1'} min left.` : `${m}:${s} left.`, clock);
	setTimeout(tick, 1000 * ((left - 1) % step + 1));
}
tick();
