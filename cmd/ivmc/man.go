package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "man [COMMAND]",
		Short: "print the manual page of ivmc, or of a command",
		Long: `Print the manual page of ivmc, or of one of its commands, or write all of them to a
directory, as ivmc.1, ivmc-sql.1 and so on. They are made from what --help prints.`,
		Example: `  ivmc man sql | man -l -
  ivmc man --dir ~/.local/share/man/man1`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if dir == "" {
				of := root
				if len(args) == 1 {
					var err error
					if of, _, err = root.Find(args); err == nil && of == root {
						err = fmt.Errorf("there is no command %q", args[0])
					}
					if err != nil {
						return &exit{exitUsage, err}
					}
				}
				manPage(cmd.OutOrStdout(), of)
				return nil
			}
			if len(args) > 0 {
				return &exit{exitUsage, fmt.Errorf("--dir writes all pages: give no command")}
			}
			for _, of := range append([]*cobra.Command{root}, root.Commands()...) {
				if !documented(of) {
					continue
				}
				var b strings.Builder
				manPage(&b, of)
				if err := os.WriteFile(filepath.Join(dir, manName(of)+".1"), []byte(b.String()), 0o644); err != nil {
					return &exit{exitFailed, err}
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "the directory to write all pages to")
	_ = c.MarkFlagDirname("dir")
	return c
}

func documented(c *cobra.Command) bool { return !c.Hidden && c.Name() != "help" }

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage writes the page of c in the man macros.
func manPage(w io.Writer, c *cobra.Command) {
	fmt.Fprintf(w, ".TH %s 1 \"\" ivmc \"ivmc manual\"\n", roff(strings.ToUpper(manName(c))))
	fmt.Fprintf(w, ".SH NAME\n%s \\- %s\n", roff(manName(c)), roff(c.Short))
	fmt.Fprint(w, ".SH SYNOPSIS\n")
	fmt.Fprintf(w, ".B %s\n", roff(useLine(c)))
	if c.Long != "" {
		fmt.Fprintf(w, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(strings.TrimSpace(c.Long)))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprint(w, ".SH COMMANDS\n")
		for _, sub := range c.Commands() {
			if documented(sub) {
				fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(sub.Name()), roff(sub.Short))
			}
		}
	}
	manFlags(w, "OPTIONS", c.NonInheritedFlags())
	manFlags(w, "OPTIONS OF EVERY COMMAND", c.InheritedFlags())
	fmt.Fprintf(w, ".SH EXIT STATUS\n")
	for _, s := range exits() {
		fmt.Fprintf(w, ".TP\n.B %d\n%s\n", s.status, roff(s.text))
	}
	fmt.Fprint(w, ".SH ENVIRONMENT\n.TP\n.B IVMC_DB\nthe database where \\-\\-db is not given\n")
	if c.Example != "" {
		fmt.Fprintf(w, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(strings.Trim(c.Example, "\n")))
	}
	if c.HasParent() {
		fmt.Fprintf(w, ".SH SEE ALSO\n.BR %s (1)\n", roff(manName(c.Parent())))
	}
}

func manFlags(w io.Writer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(w, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		arg, usage := pflag.UnquoteUsage(f)
		if arg != "" {
			name += " " + arg
		}
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(name), roff(usage))
	})
}

// roff is text as it stands: no line is a request, and nothing is an escape.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
