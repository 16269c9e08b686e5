//go:build !unix

package main

import "os"

// sized is a wish that only Unix grants.
func sized(*os.File) {}

// keysOnly is one too.
func keysOnly(*os.File) func() { return func() {} }
