package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wording gives the commands one way to say what is wrong with a command line,
// and what may stand there.
func wording(root *cobra.Command) {
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(helpCommand())
	root.AddCommand(completionCommand())
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exit{exitUsage, flagError(err)} })
	root.SetUsageFunc(func(c *cobra.Command) error { return usage(c.OutOrStderr(), c) })
	for _, c := range append([]*cobra.Command{root}, root.Commands()...) {
		c.Args = counted(c.Args)
		c.InitDefaultHelpFlag()
		c.Flags().Lookup("help").Usage = "print this text"
	}
}

// counted tells which argument is too many, or what is missing, of those that
// check does not let pass.
func counted(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if check == nil || check(c, args) == nil {
			return nil
		}
		for n := len(args) - 1; n >= 0; n-- {
			if check(c, args[:n]) != nil {
				continue
			}
			if c.HasParent() {
				return &exit{exitUsage, fmt.Errorf("%q is one argument too many: %s", args[n], useLine(c))}
			}
			return &exit{exitUsage, noCommand(c, args[n])}
		}
		return &exit{exitUsage, fmt.Errorf("an argument is missing: %s", useLine(c))}
	}
}

// noCommand is the error of a word that is no command.
func noCommand(root *cobra.Command, word string) error {
	if like := root.SuggestionsFor(word); len(like) > 0 {
		return fmt.Errorf("there is no command %q; did you mean %s?", word, strings.Join(like, " or "))
	}
	return fmt.Errorf("there is no command %q", word)
}

// flagError says what is wrong with a flag.
func flagError(err error) error {
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("there is no flag %s", dashed(unknown.GetSpecifiedName()))
	case errors.As(err, &bare):
		return fmt.Errorf("%s needs a value", dashed(bare.GetSpecifiedName()))
	case errors.As(err, &value):
		f := value.GetFlag()
		wanted := map[string]string{"bool": "true or false", "int": "a whole number", "int64": "a whole number", "duration": "a time, like 500ms or 10s"}[f.Value.Type()]
		if wanted == "" {
			return fmt.Errorf("%s %q: %w", dashed(f.Name), value.GetValue(), value.Unwrap())
		}
		return fmt.Errorf("%s %q: wanted is %s", dashed(f.Name), value.GetValue(), wanted)
	}
	return err
}

// dashed is a flag as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// useLine is how a command is called.
func useLine(c *cobra.Command) string {
	if !c.HasParent() {
		return c.Name() + " COMMAND [flags]"
	}
	name, args, _ := strings.Cut(c.Use, " ")
	return strings.TrimSpace(c.Parent().Name() + " " + name + " [flags] " + args)
}

// usage is the part of --help behind the description.
func usage(w io.Writer, c *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", useLine(c))
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	if !c.HasParent() {
		b.WriteString("\nCommands:\n")
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				fmt.Fprintf(&b, "  %-11s %s\n", sub.Name(), sub.Short)
			}
		}
	}
	for _, part := range []struct {
		head  string
		flags *pflag.FlagSet
	}{{"Flags", c.LocalFlags()}, {"Flags of every command", c.InheritedFlags()}} {
		if part.flags.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", part.head, part.flags.FlagUsages())
		}
	}
	if !c.HasParent() {
		b.WriteString("\n'ivmc COMMAND --help' tells more of a command.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "tell what a command does, and its flags",
		Args:  cobra.MaximumNArgs(1),
		ValidArgsFunction: func(c *cobra.Command, _ []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			for _, sub := range c.Root().Commands() {
				names = append(names, sub.Name())
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			of, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return &exit{exitUsage, noCommand(c.Root(), args[0])}
			}
			return of.Help()
		},
	}
}

func completionCommand() *cobra.Command {
	shells := map[string]func(root *cobra.Command, w io.Writer) error{
		"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":        func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) },
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) },
	}
	names := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "print what teaches a shell to complete ivmc's words",
		Long: `Print a script with which bash, zsh, fish or powershell completes the commands and flags
of ivmc, and the words that flags take. For bash it needs the package bash-completion.`,
		Example: `  source <(ivmc completion bash)                                  (this shell)
  ivmc completion bash > ~/.local/share/bash-completion/completions/ivmc
  ivmc completion zsh > "${fpath[1]}/_ivmc"
  ivmc completion fish > ~/.config/fish/completions/ivmc.fish`,
		Args:      cobra.ExactArgs(1),
		ValidArgs: names,
		RunE: func(c *cobra.Command, args []string) error {
			write := shells[args[0]]
			if write == nil {
				return &exit{exitUsage, fmt.Errorf("unknown shell %q: %s", args[0], choice(names))}
			}
			return write(c.Root(), c.OutOrStdout())
		},
	}
}
