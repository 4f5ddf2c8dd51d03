package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"effectivelyonce/content"
	"effectivelyonce/lessons"
)

// folder is where content comes from.
type folder struct {
	fs   fs.FS
	name string // before a problem's file name
}

// openContent is the embedded content, or a folder.
func openContent(dir string) (folder, error) {
	if dir == "" {
		return folder{fs: content.FS, name: "content"}, nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return folder{}, fmt.Errorf("content folder %s: %w", dir, underlying(err))
	}
	if !info.IsDir() {
		return folder{}, fmt.Errorf("content folder %s: it is not a folder", dir)
	}
	return folder{fs: os.DirFS(dir), name: dir}, nil
}

// place puts the folder's name before the file of each problem, so that an editor
// finds it.
func (f folder) place(problems []lessons.Problem) []lessons.Problem {
	out := make([]lessons.Problem, len(problems))
	for i, p := range problems {
		p.File = filepath.Join(f.name, filepath.FromSlash(p.File))
		out[i] = p
	}
	return out
}

// isFile reports whether a scenario is named by a path instead of an id.
func isFile(scenario string) bool {
	return strings.HasSuffix(scenario, ".yaml") || strings.HasSuffix(scenario, ".yml") || strings.ContainsAny(scenario, `/\`)
}

// catalogueFor loads the embedded content and, where the scenario is a path,
// reads that file as well. It returns the scenario's id.
func catalogueFor(scenario string) (*lessons.Catalogue, string, error) {
	cat, problems := lessons.LoadScenarios(content.FS)
	if len(problems) > 0 {
		return nil, "", fmt.Errorf("the embedded content is broken:\n%w", lessons.Problems(problems))
	}
	if !isFile(scenario) {
		return cat, scenario, nil
	}
	data, err := readBounded(scenario, lessons.MaxFile)
	if err != nil {
		return nil, "", fmt.Errorf("scenario %s: %w", scenario, err)
	}
	own, sc, problems := cat.ReadScenario(filepath.ToSlash(scenario), data)
	if len(problems) > 0 {
		return nil, "", fmt.Errorf("the scenario cannot be read:\n%w", lessons.Problems(problems))
	}
	return own, sc.ID, nil
}

// readBounded reads a file of at most limit bytes.
func readBounded(name string, limit int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, underlying(err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err != nil {
		return nil, underlying(err)
	}
	if len(data) > limit {
		return nil, fmt.Errorf("it is larger than %d KiB, the most that is read", limit>>10)
	}
	return data, nil
}

// underlying is an error without the path, which the caller names.
func underlying(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// selection is what run and explore have in common: a scenario and what is
// changed about it.
type selection struct {
	set    *many
	seed   *once
	faults *many
}

func selectionFlags(f flagSet) selection {
	return selection{set: f.texts("set"), seed: f.text("seed", ""), faults: f.texts("fault")}
}

// scenarioOf takes the one argument of run and explore.
func scenarioOf(args []string) (string, error) {
	switch {
	case len(args) == 0:
		return "", usagef("a scenario is missing: an id, or a path to a .yaml file")
	case len(args) > 1:
		return "", usagef("found %d arguments (%s); allowed: one scenario", len(args), strings.Join(args, " "))
	}
	return args[0], nil
}

func (s selection) query(id string) lessons.Query {
	return lessons.Query{Scenario: id, Set: *s.set, Seed: s.seed.value, Faults: tildes(*s.faults)}
}

// tildes writes faults as URLs do: '#' is for the command line only.
func tildes(faults []string) []string {
	var out []string
	for _, f := range faults {
		out = append(out, strings.ReplaceAll(f, "#", "~"))
	}
	return out
}
