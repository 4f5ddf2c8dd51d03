if (document.querySelector('main[data-query]')) import('./page.js');
