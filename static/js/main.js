const at = s => document.querySelector('main' + s);
if (at('[data-query]')) import('./page.js');
if (at('.sandbox')) import('./sandbox.js');
if (at('.map-page')) import('./map.js');
if (at('.twin')) import('./twin.js');
if (at('[data-live]')) import('./live.js');
if (at(' [data-ends]')) import('./left.js');
