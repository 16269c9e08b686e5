package serve

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// SocketName is the socket's in the directory of the database.
const SocketName = "ivmc.sock"

// maxPath is how long the path of a socket may be, with room for the shortest limit
// there is (104 bytes with the zero behind it).
const maxPath = 100

// Listen makes the socket in the directory of a database that the caller has open:
// only who holds the store may, and so a socket that is there was left by one that
// was killed. Its owner alone may connect. Closing the listener removes the socket.
func Listen(dir string) (net.Listener, error) {
	path := filepath.Join(dir, SocketName)
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != fs.ModeSocket {
			return nil, &fs.PathError{Op: "listen", Path: path, Err: errors.New("there is a file of this name that is no socket")}
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	var l *net.UnixListener
	err := reachable(dir, func(at string) (err error) {
		l, err = net.ListenUnix("unix", &net.UnixAddr{Name: at, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // its name may be one that only counted while it was bound
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return &listener{l, path}, nil
}

// listener removes its socket.
type listener struct {
	*net.UnixListener
	path string
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if samePeer(c) {
			return c, nil
		}
		c.Close()
	}
}

func (l *listener) Close() error {
	_ = os.Remove(l.path)
	return l.UnixListener.Close()
}

// dialSocket connects to the socket in dir.
func dialSocket(ctx context.Context, dir string) (net.Conn, error) {
	var c net.Conn
	err := reachable(dir, func(at string) (err error) {
		c, err = (&net.Dialer{}).DialContext(ctx, "unix", at)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOTDIR) {
		return nil, ErrNoServer
	}
	return c, err
}

// reachable gives f a path of the socket in dir that is short enough.
func reachable(dir string, f func(at string) error) error {
	path := filepath.Join(dir, SocketName)
	if len(path) <= maxPath {
		return f(path)
	}
	return shortened(dir, f)
}
