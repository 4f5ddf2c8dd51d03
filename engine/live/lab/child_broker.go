package lab

import (
	"io"
	"strings"
	"time"

	"effectivelyonce/engine/kafka"
	"effectivelyonce/engine/live/proc"
)

// maxTxnTimeout is transaction.max.timeout.ms of the embedded broker, Kafka's own
// default (4.3.1).
const maxTxnTimeout = 15 * time.Minute

// RunBroker is the process of the embedded broker. It serves until the lab is gone.
func RunBroker(stdin io.Reader) error {
	c, err := meet(stdin)
	if err != nil {
		return err
	}
	b, err := kafka.Embed(kafka.EmbedConfig{Port: c.cfg.Port, MaxTxnTimeout: maxTxnTimeout})
	if err != nil {
		return err
	}
	c.tell(frameReady, strings.Join(b.Addrs(), ","))
	c.parent.Listen(func(proc.Frame) {})
	return b.Close()
}
