package postgres

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// ErrAbsent says that there is no PostgreSQL on this machine.
var ErrAbsent = errors.New("no PostgreSQL here (Debian: apt-get install postgresql; or set IVMC_TEST_PG to a server's socket)")

// startTime is how long a new server may take until it answers.
const startTime = 60 * time.Second

// Server is a server that runs.
type Server struct {
	where string
	// password of the server's only user; "" for a server that is not ours, which must trust us.
	password string
	dir      string        // private directory; "" for a server that is not ours
	quit     func()        // asks the process to end
	ended    chan struct{} // closed when it has
}

// Start starts a server, or finds the one of IVMC_TEST_PG. [ErrAbsent] if there is none.
func Start() (*Server, error) {
	if where := os.Getenv("IVMC_TEST_PG"); where != "" {
		return &Server{where: where}, nil
	}
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ivmc-pg")
	if err != nil {
		return nil, err
	}
	s := &Server{password: rand.Text(), dir: dir, ended: make(chan struct{})}
	if err := s.launch(bin); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	for end := time.Now().Add(startTime); ; {
		c, err := s.Connect()
		if err == nil {
			return s, c.Close()
		}
		select {
		case <-s.ended:
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			return nil, errors.Join(fmt.Errorf("the server ended: %s", log), s.Stop())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			return nil, errors.Join(fmt.Errorf("the server does not answer: %w", err), s.Stop())
		}
	}
}

// freePort is a port of loopback that nobody listens to. Who takes it before the
// server does makes Start fail.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// programs is the directory of the server's programs: of version 15, whose
// meaning is ours, or else of the newest there is.
func programs() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	more, _ := filepath.Glob("/usr/local/pgsql/bin/initdb")
	slices.SortFunc(found, func(a, b string) int { return len(a) - len(b) })
	found = append(more, found...)
	if len(found) == 0 {
		return "", ErrAbsent
	}
	const meaning = "/usr/lib/postgresql/15/bin/initdb"
	if slices.Contains(found, meaning) {
		return filepath.Dir(meaning), nil
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// Connect opens a connection.
func (s *Server) Connect() (*Conn, error) { return dial(s.where, s.password) }

// Stop ends the server and removes its directory. Only a server of [Start]'s own making ends.
func (s *Server) Stop() error {
	if s.dir == "" {
		return nil
	}
	if s.quit != nil {
		s.quit()
		<-s.ended
	}
	return os.RemoveAll(s.dir)
}
