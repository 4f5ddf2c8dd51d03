package prose

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"effectivelyonce/lessons/strict"
)

func render(src Source, r Resolver, inline bool) (Markup, []strict.Problem) {
	run := &rendering{src: src, res: r}
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Typographer),
		goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(run, 150))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(run, 100)), html.WithXHTML()),
	)
	source := []byte(src.Text)
	doc := md.Parser().Parse(text.NewReader(source))
	run.refuse(doc)
	var out bytes.Buffer
	if err := md.Renderer().Render(&out, source, doc); err != nil {
		run.add(0, err.Error(), "")
	}
	s := strings.TrimSpace(out.String())
	if inline {
		s = strings.TrimSuffix(strings.TrimPrefix(s, "<p>"), "</p>")
		if strings.Contains(s, "<p>") {
			run.add(0, "more than one paragraph", "allowed here: one line of text")
		}
	}
	return Markup(s), run.problems
}

// rendering is one text on its way to markup.
type rendering struct {
	src      Source
	res      Resolver
	problems []strict.Problem
}

func (r *rendering) add(offset int, what, do string) {
	line := r.src.Line + strings.Count(r.src.Text[:min(offset, len(r.src.Text))], "\n")
	r.problems = append(r.problems, strict.Problem{File: r.src.File, Line: line, What: what, Do: do})
}

// refuse reports what Markdown would let through and a lesson may not hold.
func (r *rendering) refuse(doc ast.Node) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch x := n.(type) {
		case *ast.RawHTML:
			r.add(x.Segments.At(0).Start, "HTML in the text", "write Markdown; HTML is not shown")
		case *ast.HTMLBlock:
			at := 0
			if x.Lines().Len() > 0 {
				at = x.Lines().At(0).Start
			}
			r.add(at, "HTML in the text", "write Markdown; HTML is not shown")
		case *ast.Image:
			r.add(0, fmt.Sprintf("image %q", x.Destination), "the stage is the picture; describe it in words")
		}
		return ast.WalkContinue, nil
	})
}

var formKind = ast.NewNodeKind("Form")

// form is one {name arg|text} in the tree, already resolved.
type form struct {
	ast.BaseInline
	markup string
}

func (*form) Kind() ast.NodeKind              { return formKind }
func (f *form) Dump(source []byte, level int) { ast.DumpHelper(f, source, level, nil, nil) }

// Trigger is part of goldmark's parser.InlineParser.
func (r *rendering) Trigger() []byte { return []byte{'{'} }

// Parse reads one form.
func (r *rendering) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, seg := block.PeekLine()
	end := bytes.IndexByte(line, '}')
	if end < 0 {
		r.add(seg.Start, `"{" without "}"`, `close it on the same line, or write "\{" for the sign itself`)
		return nil
	}
	inner, label, _ := strings.Cut(string(line[1:end]), "|")
	name, arg, _ := strings.Cut(strings.TrimSpace(inner), " ")
	block.Advance(end + 1)
	if r.res == nil {
		return &form{}
	}
	markup, err := r.res.Resolve(name, strings.TrimSpace(arg), strings.TrimSpace(label))
	if err != nil {
		r.add(seg.Start, fmt.Sprintf("{%s}: %s", inner, err), "")
	}
	return &form{markup: markup}
}

// RegisterFuncs is part of goldmark's renderer.NodeRenderer.
func (r *rendering) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(formKind, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString(n.(*form).markup)
		}
		return ast.WalkSkipChildren, nil
	})
}
