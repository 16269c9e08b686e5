//go:build !linux

package serve

import (
	"fmt"
	"net"
	"path/filepath"
)

// shortened has no shorter name to give.
func shortened(dir string, _ func(at string) error) error {
	return fmt.Errorf("ivmc: the path of the socket, %s, is longer than the %d bytes that it may have: name the directory by a shorter path",
		filepath.Join(dir, SocketName), maxPath)
}

// samePeer leaves it to the mode of the socket.
func samePeer(*net.UnixConn) bool { return true }
