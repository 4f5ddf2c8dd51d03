// Package e2e tests the whole program in a real browser: Chromium, driven over
// the devtools protocol. The program runs as its own process, so that it can be
// killed in the middle. A browser is started once for the package; every tab is
// in a browser context of its own, as a new visitor would be.
//
// Tests wait for the page's own state (main[data-state], [data-position]) and
// never for time. A tab fails its test at the end if its console showed an
// error, something broke the content security policy, or a request went to a
// third party.
package e2e
