package web_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"effectivelyonce/lessons"
)

// What is taken away from the sandbox is the job in the form: the link leads to it,
// the file is it, and the command line says the same as the query.
func TestSandboxTakesAway(t *testing.T) {
	srv := newServer(t)
	const query = "scenario=skip-align&set=checkpoint.mode=exactly_once&fault=crash-job@before:checkpoint.complete~2@coordinator"
	p := open(t, srv, "/sandbox?"+query)
	link := text(p.byID("as-link-text"))
	if u, err := url.Parse(link); err != nil || u.RequestURI() != "/sandbox?"+query {
		t.Errorf("the link is %s", link)
	}
	var file string
	for _, a := range p.all(func(n *html.Node) bool { return strings.HasPrefix(attribute(n, "href"), "/sandbox/own-job.yaml?") }) {
		r := get(t, srv, attribute(a, "href"))
		file = body(t, r)
		if !strings.Contains(r.Header.Get("Content-Disposition"), `"own-job.yaml"`) {
			t.Errorf("the file is sent as %v", r.Header)
		}
	}
	own, sc, problems := catalogue().ReadScenario("own-job.yaml", []byte(file))
	if len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, file)
	}
	job, faults, err := own.Compile(lessons.Query{Scenario: "own-job", Faults: sc.Script})
	if err != nil || len(faults) != 1 || job.Settings.CheckpointMode != "exactly_once" || len(job.Conditions) != 1 {
		t.Errorf("the file is another job: %v %v", err, faults)
	}
	command := text(p.byID("as-command-text"))
	var said []string
	for _, m := range regexp.MustCompile(`--(set|fault) (\S+)`).FindAllStringSubmatch(command, -1) {
		said = append(said, m[1]+"="+strings.Trim(m[2], "'"))
	}
	if got := "scenario=skip-align&" + strings.Join(said, "&"); got != query || !strings.HasPrefix(command, "server run skip-align ") {
		t.Errorf("the command is %s", command)
	}
}

// The product's tab speaks of the product that the strategy stands for, with its
// version, and says where it has no setting.
func TestSandboxSpeaksOfTheProduct(t *testing.T) {
	srv := newServer(t)
	for query, wants := range map[string][]string{
		"scenario=skip-align": {"# Flink 2.x, config.yaml", "execution.checkpointing.mode: AT_LEAST_ONCE", "execution.checkpointing.interval: 150ms", "no equivalent",
			"execution.checkpointing.storage: filesystem", "execution.checkpointing.dir: ", "restart-strategy.fixed-delay.attempts: 2147483647"},
		"scenario=skip-align&set=checkpoint.interval=1500ms": {"execution.checkpointing.interval: 1500ms", "execution.checkpointing.timeout: 10s"},
		"scenario=short-timeout":                             {"flink-connector-kafka 4.0", "DeliveryGuarantee.EXACTLY_ONCE", `"transaction.timeout.ms", "`, "isolation.level=read_committed"},
		"scenario=streams-eos": {"# Kafka Streams 4.x", "processing.guarantee=exactly_once_v2", "commit.interval.ms=100", "num.standby.replicas=",
			"part of the thread's transaction", "producer.transaction.timeout.ms="},
		"scenario=late-window-again":                                {"watermark.restore=none, as DataStream windows"},
		"scenario=late-window-again&set=watermark.restore=snapshot": {"watermark.restore=snapshot: no equivalent"},
		"scenario=incident-c18":                                     {"# Kafka 4.x producer", "transactional.id: a new one at each start", "transaction.timeout.ms=6000"},
		"scenario=sandbox&set=strategy=offset-commit&set=topology=LOOP&set=sink=append&set=output=event&set=commit=after": {"# Kafka 4.x consumer", "enable.auto.commit=false", "commitSync() after"},
		"scenario=sandbox&set=strategy=microbatch&set=sink=upsert":                                                        {"// Spark 4.x", "checkpointLocation", "foreachBatch", `Trigger.ProcessingTime("300 milliseconds"))`},
		"scenario=sandbox&set=strategy=microbatch&set=sink=files&set=output=event":                                        {"_spark_metadata", "// Sink sink"},
	} {
		p := open(t, srv, "/sandbox?"+query)
		says := text(p.byID("as-product-text"))
		for _, want := range wants {
			if !strings.Contains(says, want) {
				t.Errorf("%s: %q is not in %q", query, want, says)
			}
		}
		if strings.Contains(says, "lookup=off") || strings.Contains(says, "watermark") && !strings.Contains(query, "window") {
			t.Errorf("%s: what the job does not do needs no equivalent: %q", query, says)
		}
	}
}
