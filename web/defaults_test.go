package web

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"effectivelyonce/engine"
)

// Every real default belongs to a setting that exists, names a product with its
// version (a service has none) and the fact it comes from.
func TestRealDefaults(t *testing.T) {
	version := regexp.MustCompile(`\d`)
	for key, d := range realDefaults() {
		if !slices.Contains(engine.SettingKeys(), key) {
			t.Errorf("there is no setting %s", key)
		}
		if !version.MatchString(d.Product) && !strings.HasPrefix(d.Product, "Dataflow") || d.Value == "" || d.Fact == "" {
			t.Errorf("%s: %+v", key, d)
		}
	}
}

// What depends on another setting follows it.
func TestRealDefaultsFollowTheStrategy(t *testing.T) {
	set := &engine.Settings{Strategy: "kafka-streams", Guarantee: "exactly_once_v2"}
	if got := realDefaultOf("commit.interval", set).text(); got != "Kafka Streams 4.x, exactly_once_v2: 100 ms" {
		t.Errorf("commit.interval of exactly_once_v2: %q", got)
	}
	set.Guarantee = "at_least_once"
	if got := realDefaultOf("commit.interval", set).text(); got != "Kafka Streams 4.x: 30 s" {
		t.Errorf("commit.interval of at_least_once: %q", got)
	}
	if got := realDefaultOf("channel.capacity", set).text(); got != "" {
		t.Errorf("channel.capacity is ours alone, but %q stands beside it", got)
	}
}
