package sqldb

import "context"

// register tells the store the token of this life. It never makes it smaller, so
// that a life which comes late cannot take the task back.
func (s *Sink) register(ctx context.Context) error {
	return s.ses.transact(ctx, "register a token", true, func(ctx context.Context) error {
		_, err := s.ses.exec(ctx, `INSERT INTO eo_tokens (place, task, token) VALUES (?, ?, ?)
			ON CONFLICT (place, task) DO UPDATE SET token = excluded.token WHERE eo_tokens.token < excluded.token`,
			s.opt.Place, s.life.Name, s.life.Token)
		return err
	})
}

// refused reports whether the store turns this life away because a newer one has
// registered, inside the transaction of the write (facts 11.4: checked by the
// store, not by the client). The check is an update and not a look: it holds the
// row until the commit, so that a life which registers meanwhile waits for this
// write and then finds it done, instead of reading a state to which an older
// writer adds something later.
//
// An append checks nothing, as in the model: whatever an old life adds stays to be
// seen. Nor does a sink with fencing=off.
func (s *Sink) refused(ctx context.Context, out *outcome) (bool, error) {
	if !s.set.Fencing || s.set.Kind == "append" {
		return false, nil
	}
	n, err := s.ses.exec(ctx, `UPDATE eo_tokens SET token = ? WHERE place = ? AND task = ? AND token <= ?`,
		s.life.Token, s.opt.Place, s.life.Name, s.life.Token)
	if err != nil || n > 0 {
		return false, err
	}
	out.refused = true
	out.newest, _, err = s.ses.number(ctx, `SELECT token FROM eo_tokens WHERE place = ? AND task = ?`, s.opt.Place, s.life.Name)
	return true, err
}
