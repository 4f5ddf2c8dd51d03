// Package static holds what the browser loads beside the pages: style sheets in
// layers, ES modules without a build step, and fonts with their licences.
//
// Files is the tree as it was built into the program. Assets serves it under a
// name that holds a hash of the whole tree, /static/HASH/…, so that a browser may
// keep every file for ever and modules and style sheets can name each other by
// relative paths.
package static

import "embed"

// Files are the embedded folders css, js and fonts.
//
//go:embed css js fonts
var Files embed.FS
