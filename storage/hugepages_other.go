//go:build !linux

package storage

// adviseHuge is a wish that only Linux is asked for.
func adviseHuge(zeros []byte) {}
