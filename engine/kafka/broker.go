package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Broker is a Kafka cluster: where it is, and how to get there.
type Broker interface {
	// Addrs are addresses to start from, host:port.
	Addrs() []string
	// Dial opens a connection to one of the cluster's nodes.
	Dial(ctx context.Context, network, addr string) (net.Conn, error)
	// Close ends an embedded cluster and everything it holds; a cluster that was only
	// connected to stays as it is.
	Close() error
}

// EmbedConfig says how an embedded broker is to be run.
type EmbedConfig struct {
	// InMemory opens no port: only clients of this process that got the Broker reach it.
	InMemory bool
	// Port to listen on at 127.0.0.1; 0 chooses a free one.
	Port int
	// MaxTxnTimeout is transaction.max.timeout.ms; 0 keeps 15 min (Kafka 4.3.1's default).
	MaxTxnTimeout time.Duration
	// Dir keeps the broker's data over a restart of the broker; "" keeps it in memory.
	// A crash of the broker itself then ends open transactions, which a real broker
	// would keep: crash the job, not this broker.
	Dir string
	// Gate, if not nil, holds every connection that the broker accepts: cutting it cuts
	// the broker off, for clients of all processes.
	Gate *Gate
}

// Embed starts a broker in this process: one node, transactions of the newest
// protocol (KIP-890, transaction.version 2). It is kfake, a broker for tests; it
// replicates nothing and its log is not for keeps.
func Embed(cfg EmbedConfig) (Broker, error) {
	e := &embedded{dial: (&net.Dialer{}).DialContext}
	listen := net.Listen
	port := cfg.Port
	if cfg.InMemory {
		virtual := new(kfake.VirtualNetwork)
		listen, e.dial = virtual.Listen, virtual.DialContext
		port = max(port, 9092)
	}
	if g := cfg.Gate; g != nil {
		listen = g.listen(listen)
	}
	opts := []kfake.Opt{kfake.NumBrokers(1), kfake.ListenFn(listen), kfake.GroupMinSessionTimeout(500 * time.Millisecond)}
	if port != 0 {
		opts = append(opts, kfake.Ports(port))
	}
	if cfg.Dir != "" {
		opts = append(opts, kfake.DataDir(cfg.Dir))
	}
	if cfg.MaxTxnTimeout > 0 {
		opts = append(opts, kfake.BrokerConfigs(map[string]string{
			"transaction.max.timeout.ms": strconv.FormatInt(cfg.MaxTxnTimeout.Milliseconds(), 10)}))
	}
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		return nil, fmt.Errorf("start the embedded broker: %w", err)
	}
	e.cluster = c
	return e, nil
}

type embedded struct {
	cluster *kfake.Cluster
	dial    func(ctx context.Context, network, addr string) (net.Conn, error)
}

func (e *embedded) Addrs() []string { return e.cluster.ListenAddrs() }
func (e *embedded) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return e.dial(ctx, network, addr)
}
func (e *embedded) Close() error { e.cluster.Close(); return nil }

// Connect names a cluster that runs elsewhere. Nothing is dialled yet.
func Connect(addrs ...string) Broker { return remote(addrs) }

type remote []string

func (r remote) Addrs() []string { return r }
func (r remote) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, network, addr)
}
func (r remote) Close() error { return nil }

// Through is the same cluster, reached through a gate. Closing it closes the cluster.
func Through(b Broker, g *Gate) Broker { return gated{b, g} }

type gated struct {
	Broker
	gate *Gate
}

func (g gated) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return g.gate.dial(ctx, network, addr, g.Broker.Dial)
}

// metadataMinAge is how long a client waits before it asks for metadata again. The
// client's default, 5 s, makes every change of leader or new topic take that long.
const metadataMinAge = 50 * time.Millisecond

// client makes a client of the cluster. It connects when it is first used.
func client(b Broker, opts ...kgo.Opt) (*kgo.Client, error) {
	cl, err := kgo.NewClient(append(options(b), opts...)...)
	if err != nil {
		return nil, fmt.Errorf("kafka client: %w", err)
	}
	return cl, nil
}

// options are those of every client of the cluster.
func options(b Broker) []kgo.Opt {
	return []kgo.Opt{
		kgo.SeedBrokers(b.Addrs()...), kgo.Dialer(b.Dial),
		kgo.MetadataMinAge(metadataMinAge), kgo.ConcurrentTransactionsBackoff(5 * time.Millisecond),
		kgo.DisableClientMetrics(),
	}
}

// Ping asks a node of the cluster for a sign of life, over a connection of its own. The
// error is that none answered before the context ended, or that none can be reached.
func Ping(ctx context.Context, b Broker) error {
	cl, err := client(b)
	if err != nil {
		return err
	}
	defer cl.Close()
	if err := cl.Ping(ctx); err != nil {
		return fmt.Errorf("ask the broker for a sign of life: %w", err)
	}
	return nil
}

// Topic is a topic to be made.
type Topic struct {
	Name       string
	Partitions int
	Config     map[string]string // as Kafka spells it: cleanup.policy, segment.bytes, …
}

// CreateTopics makes topics with the cluster's own replication factor. A topic that
// exists already is left as it is.
func CreateTopics(ctx context.Context, b Broker, topics ...Topic) error {
	cl, err := client(b)
	if err != nil {
		return err
	}
	defer cl.Close()
	for _, t := range topics {
		cfg := map[string]*string{}
		for k, v := range t.Config {
			cfg[k] = &v
		}
		resp, err := kadm.NewClient(cl).CreateTopic(ctx, int32(t.Partitions), -1, cfg, t.Name)
		if err == nil {
			err = resp.Err
		}
		if err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
			return fmt.Errorf("create topic %s with %d partitions: %w", t.Name, t.Partitions, err)
		}
	}
	return nil
}

// Ends are the first offsets behind what a reader may see of each partition of a
// topic: the last stable offset at read_committed, else the high watermark.
func Ends(ctx context.Context, b Broker, topic string, committed bool) ([]int64, error) {
	cl, err := client(b)
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	return ends(ctx, cl, topic, committed)
}

func ends(ctx context.Context, cl *kgo.Client, topic string, committed bool) ([]int64, error) {
	adm := kadm.NewClient(cl)
	ask := adm.ListEndOffsets
	if committed {
		ask = adm.ListCommittedOffsets
	}
	got, err := ask(ctx, topic)
	if err == nil {
		err = got.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("ends of topic %s: %w", topic, err)
	}
	out := make([]int64, len(got[topic]))
	for p, o := range got[topic] {
		out[p] = o.Offset
	}
	return out, nil
}
