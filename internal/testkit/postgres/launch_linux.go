package postgres

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// launch makes the cluster and starts the server in s.dir.
func (s *Server) launch(bin string) error {
	attr, err := s.owner()
	if err != nil {
		return err
	}
	data, secret := filepath.Join(s.dir, "data"), filepath.Join(s.dir, "secret")
	if err := os.WriteFile(secret, []byte(s.password+"\n"), 0o600); err != nil {
		return err
	}
	if c := attr.Credential; c != nil {
		if err := os.Chown(secret, int(c.Uid), int(c.Gid)); err != nil {
			return err
		}
	}
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "password", "--pwfile", secret, "-E", "UTF8",
		"--lc-collate=C", "--lc-ctype=C.UTF-8", "--lc-messages=C", "--no-sync")
	initdb.Dir, initdb.SysProcAttr = s.dir, &attr
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	s.where = fmt.Sprintf("127.0.0.1:%d", port)
	cmd := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-p", strconv.Itoa(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "autovacuum=off", "-c", "jit=off",
		"-c", "timezone=UTC", "-c", "log_min_messages=fatal", "-c", "log_min_error_statement=panic", "-c", "shared_buffers=32MB")
	cmd.Dir, cmd.SysProcAttr, cmd.Stderr = s.dir, &attr, log
	started := make(chan error)
	go func() {
		defer close(s.ended)
		defer log.Close()
		// The server dies with the thread that started it, so the thread stays:
		// a test that is killed leaves no server behind.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		attr.Pdeathsig = syscall.SIGINT
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // what it said stands in the log
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	s.quit = func() {
		_ = cmd.Process.Signal(syscall.SIGINT) // it may have ended
		t := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		go func() { <-s.ended; t.Stop() }()
	}
	return nil
}

// owner is how to run the server: initdb refuses root, so a root makes it
// another user's.
func (s *Server) owner() (syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return syscall.SysProcAttr{}, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return syscall.SysProcAttr{}, err
		}
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err1 != nil || err2 != nil {
		return syscall.SysProcAttr{}, fmt.Errorf("user %s has no numbers", u.Username)
	}
	attr := syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return attr, os.Chown(s.dir, int(uid), int(gid))
}
