package web

import (
	"fmt"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

// modelWords is what a strategy models, for somebody who has not read its lesson.
func modelWords(strategy string) string {
	words := map[string]string{
		"batch":         "a batch job whose tasks are retried",
		"offset-commit": "a consumer loop (the model is a plain consumer, " + kafka + ")",
		"microbatch":    "microbatches (the model is " + spark + ", Structured Streaming)",
		"barriers":      "checkpoints by barriers (the model is " + flink + ")",
		"kafka-streams": "a store with a changelog (the model is " + streams + ")",
		"trident":       "batches with a txid (the model is Storm Trident 2.x)",
		"dataflow":      "ids for every record (the model is Google Cloud Dataflow)",
		"replicated":    "replicas that run the same calls (the model is VoltDB)",
		"xa":            "two-phase commit across systems",
	}
	if w := words[strategy]; w != "" {
		return w
	}
	return strategy
}

// jobWords is what runs in a question that is asked outside of its lesson: the
// parts and the settings, and not the story, which tells what goes wrong. Empty for
// a question about no run, and for a race, whose text names the jobs.
func jobWords(q *quizzes.Question) string {
	if q.Derived == nil || q.Derived.Job == nil || q.Template() == quizzes.CrashRace {
		return ""
	}
	job := q.Derived.Job
	var tasks, settings []string
	for _, t := range job.Plan.Tasks {
		tasks = append(tasks, job.Plan.Name(t.ID))
	}
	for _, kv := range lessons.Differences(job) {
		if kv[0] != "topology" && kv[0] != "strategy" {
			settings = append(settings, kv[0]+" "+kv[1])
		}
	}
	out := fmt.Sprintf("%s; tasks %s; %s.", modelWords(job.Settings.Strategy), strings.Join(tasks, ", "), count(job.Input.Len(), "record", "records"))
	if len(settings) > 0 {
		out += " Settings: " + strings.Join(settings, ", ") + "."
	}
	if job.Settings.Backlog {
		out += " (backlog on: all records wait in the input from the start.)"
	}
	return out + conditionWords(job)
}

// conditionWords are the faults that belong to the scenario from its start.
func conditionWords(job *engine.Job) string {
	var out []string
	for _, f := range job.Conditions {
		out = append(out, f.String())
	}
	if len(out) == 0 {
		return ""
	}
	return " From the start: " + strings.Join(out, ", ") + " (slow:TASK:x20@0ms: twenty times slower, from 0 ms on)."
}
