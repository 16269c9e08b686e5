//go:build !linux

package postgres

// launch is for Linux alone; elsewhere IVMC_TEST_PG names a server.
func (s *Server) launch(string) error { return ErrAbsent }
