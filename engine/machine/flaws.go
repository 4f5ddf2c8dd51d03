package machine

import "effectivelyonce/engine"

// unawaited reports whether the checkpoint whose parts are all in is one that
// nobody waits for: with the flaw no-final-checkpoint, the one after the end of the
// input. Its promises stay promises.
func (c *coordinator) unawaited() bool {
	return c.job.Settings.Flaw == engine.NoFinalCheckpoint && c.ended == c.sources() && !c.flying
}

// finish ends the job without that checkpoint. The run goes on for as long as a
// broker keeps what nobody has ended, so that it shows what becomes of it.
func (c *coordinator) finish(now engine.Time, out *Out) {
	longest := engine.Time(0)
	for i := range c.job.Settings.Sinks {
		if k := &c.job.Settings.Sinks[i]; k.Kind == engine.SinkTransactional {
			longest = max(longest, k.TxnTimeout)
		}
	}
	c.last, c.closes = true, now+longest
	out.add(Effect{Kind: PostTimer, Delay: longest})
}

// closed ends the run of a job that has finished without its last checkpoint.
func (c *coordinator) closed(now engine.Time, out *Out) bool {
	if c.closes == 0 {
		return false
	}
	if now >= c.closes {
		out.add(Effect{Kind: DoEndRun, Reason: engine.AtRest})
	}
	return true
}
