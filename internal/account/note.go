package account

import "context"

// Note writes a line of the audit log for what a person who may is about to do with something that other packages keep.
func (s *Service) Note(ctx context.Context, org, by string, right Right, action, target string) error {
	return s.changing(ctx, org, by, right, action, target, func(Tx) error { return nil })
}
