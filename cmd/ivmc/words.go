package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// words tells completion what the flags of commands may say.
func words(root *cobra.Command) {
	choices := []struct {
		command, flag string
		words         []string
	}{
		{"sql", "format", []string{"table", "csv", "json"}},
		{"load", "format", []string{"csv", "json", "parquet", "arrow"}},
		{"status", "format", []string{"table", "json"}},
		{"refresh", "format", []string{"table", "json"}},
		{"verify", "format", []string{"table", "json"}},
		{"check", "format", []string{"table", "json"}},
		{"explain", "format", planFormats()},
		{"explain", "stage", []string{"algebra", "normalized", "delta", "full", "all"}},
		{"changes", "format", []string{"json", "csv", "arrow"}},
		{"changes", "type", []string{"min_delta", "append_only", "detail"}},
		{"consume", "envelope", []string{"rows", "weights", "debezium"}},
		{"graph", "format", planFormats()},
		{"serve", "log-format", []string{"text", "json"}},
		{"serve", "log-level", []string{"debug", "info", "warn", "error"}},
		{"refresh", "mode", []string{"auto", "incremental", "complete"}},
	}
	for _, c := range choices {
		cmd, _, err := root.Find([]string{c.command})
		if err != nil {
			continue
		}
		_ = cmd.RegisterFlagCompletionFunc(c.flag, cobra.FixedCompletions(c.words, cobra.ShellCompDirectiveNoFileComp))
	}
	_ = root.MarkPersistentFlagDirname("db")
}

// planFormats are the formats of explain and graph.
func planFormats() []string { return []string{"text", "json", "dot", "mermaid", "svg"} }

// choice is a, b or c.
func choice(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
