const {query, map} = document.querySelector('main').dataset;
if (query) import('./page.js');
if (map) import('./map.js');
