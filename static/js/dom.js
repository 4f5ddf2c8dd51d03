/** @param {ParentNode} [root] @returns {any} */
export const $ = (selector, root = document) => root?.querySelector(selector);

/** @param {ParentNode} [root] @returns {any[]} */
export const $$ = (selector, root = document) => [...root?.querySelectorAll(selector) || []];

/** @returns {string} */
export const attr = (el, name) => el?.getAttribute(name) || '';

export const put = (selector, text, root = document) => $$(selector, root).forEach(el => { el.textContent = text; });

/** @param {(e: any) => void} f */
export const on = (el, types, f) => types.split(' ').forEach(t => el?.addEventListener(t, f));

// The page keeps the drawing that fits.
const narrow = matchMedia('(max-width:699px) and (min-height:481px)');
export const tall = narrow.matches ? '&tall=1' : '';
on(narrow, 'change', () => location.reload());
if ($('.stage.tall')) $(tall ? '.stage.wide' : '.stage.tall').remove();

export function focusOn(part) {
	const h = $('h1,h2,h3', part) || part;
	if (h?.tabIndex < 0) h.tabIndex = -1;
	h?.focus();
}
