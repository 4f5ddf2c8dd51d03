package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// exported is the job of the sandbox as a text to take away.
type exported struct {
	ID, Title string
	Text      string
	Note      string
	File      string        // URL under which it can be saved; "" for what is no file
	Lines     []productLine // of the product's settings; then Text is empty
}

// ownJob is the id of an exported scenario, and the name of its file.
const ownJob = "own-job"

// exports writes the job as a link, a scenario file, a command line, and the settings
// of the product that its strategy stands for.
func (p *sandboxPage) exports(origin string) []exported {
	out := []exported{{ID: "as-link", Title: "Link", Text: origin + string(sandboxURL(p.Query)), Note: "The whole job stands in it; nothing is kept for it on the server."}}
	file := exported{ID: "as-file", Title: "Scenario file", File: "/sandbox/" + ownJob + ".yaml?" + queryOf(p.Query), Note: "Save it as " + ownJob + ".yaml, then: server run ./" + ownJob + ".yaml"}
	var err error
	if file.Text, err = p.scenarioFile(); err != nil {
		file.Text, file.File, file.Note = "# This job does not fit into a scenario file: "+err.Error()+"\n", "", "The link and the command line hold it."
	}
	out = append(out, file, exported{ID: "as-command", Title: "Command line", Text: p.commandLine(), Note: p.commandNote()})
	name, lines := productSettings(&p.Run.Job.Settings)
	return append(out, exported{ID: "as-product", Title: name, Lines: lines, Note: "Times are those of a run that fits on a screen. Choose your own."})
}

func (p *sandboxPage) scenarioFile() (string, error) {
	return p.Setup.Scenario.ScenarioFile(ownJob, p.Run.Job, p.Query.Faults)
}

// commandLine is the run as a command for a shell.
func (p *sandboxPage) commandLine() string {
	words := []string{"server", "run", quoteWord(p.Query.Scenario)}
	add := func(flag, value string) { words = append(words, "\\\n  --"+flag, quoteWord(value)) }
	for _, kv := range p.Query.Set {
		add("set", kv)
	}
	if p.Query.Seed != "" {
		add("seed", p.Query.Seed)
	}
	for _, f := range p.Query.Faults {
		add("fault", f)
	}
	if p.Query.Input != "" {
		add("input", "records.csv")
	}
	return strings.Join(words, " ")
}

func (p *sandboxPage) commandNote() string {
	if p.Query.Input != "" {
		return "records.csv holds your own records. server explore takes the same flags."
	}
	return "server explore with the same flags crashes it everywhere."
}

// quoteWord is a word as a POSIX shell reads it.
func quoteWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@,+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// handleSandboxFile answers /sandbox/own-job.yaml: the job of the query as a file.
func (s *Server) handleSandboxFile(c echo.Context) error {
	p, err := s.parse(c)
	if err != nil {
		return err
	}
	page, err := s.newSandbox(c, p)
	if err != nil {
		return err
	}
	if page.Run == nil {
		return &Problem{Status: http.StatusBadRequest, Param: "set", Found: strings.Join(p.Set, " "), Allowed: "a job that can be built", Msg: "This job cannot be built, so there is no file of it."}
	}
	text, err := page.scenarioFile()
	if err != nil {
		return bad("input", "what does not fit into a file", err.Error())
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", ownJob+".yaml"))
	return c.Blob(http.StatusOK, "application/yaml; charset=utf-8", []byte(text))
}
