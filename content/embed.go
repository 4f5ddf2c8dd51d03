// Package content is the sentences and data of the course, embedded into the
// program. There is nothing else in Go here; see README.md for what the files
// mean, and package lessons for how they are read.
package content

import "embed"

// FS is the content folder as package lessons reads it.
//
//go:embed course.yaml glossary.yaml inputs scenarios lessons incidents levels
var FS embed.FS
