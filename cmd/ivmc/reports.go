package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ivmc/ivmc"
)

// asTableOrJSON gives c the flag --format: whether it prints for people or objects.
func asTableOrJSON(c *cobra.Command, objects *bool) {
	var format string
	c.Flags().StringVar(&format, "format", "table", "table or json")
	c.PreRunE = func(*cobra.Command, []string) error {
		if format != "table" && format != "json" {
			return &exit{exitUsage, fmt.Errorf("unknown format %q: table or json", format)}
		}
		*objects = format == "json"
		return nil
	}
}

// writeRefreshes prints an object a line for every view.
func writeRefreshes(out io.Writer, reps []*ivmc.RefreshReport) error {
	var b []byte
	for _, r := range reps {
		if r.Err != nil {
			b = append(failedView(b, r.View, r.Err), '\n')
			continue
		}
		b = append(appendRefresh(b, r), '\n')
	}
	return written(out.Write(b))
}

// writeVerified prints the object of a view that was verified, or was not.
func writeVerified(out io.Writer, view string, r *ivmc.VerifyReport, err error) error {
	if err != nil {
		return written(out.Write(append(failedView(nil, view, err), '\n')))
	}
	b := appendString([]byte(`{"view":`), r.View)
	b = strconv.AppendBool(append(b, `,"equal":`...), r.Equal)
	b = strconv.AppendInt(append(b, `,"rows":`...), r.Rows, 10)
	b = strconv.AppendInt(append(b, `,"expected":`...), r.Expected, 10)
	b = strconv.AppendInt(append(b, `,"differing":`...), r.Differing, 10)
	b = append(b, `,"diff":[`...)
	for i, row := range r.Diff {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, row)
	}
	b = strconv.AppendBool(append(b, `],"by_definition":`...), r.ByDefinition)
	b = strconv.AppendUint(append(b, `,"frontier":`...), uint64(r.Frontier), 10)
	b = strconv.AppendFloat(append(b, `,"ms":`...), float64(r.Duration.Microseconds())/1000, 'f', -1, 64)
	return written(out.Write(append(b, "}\n"...)))
}

// failedView is the object of a view that could not be refreshed or verified.
func failedView(b []byte, view string, err error) []byte {
	b = appendString(append(b, `{"view":`...), view)
	b = append(b, `,"error":`...)
	var e *ivmc.Error
	if !errors.As(err, &e) {
		e = &ivmc.Error{Code: "58000", Message: err.Error()}
	}
	return append(appendError(b, e), '}')
}

// writeChecked prints the object of what was found.
func writeChecked(out io.Writer, r *ivmc.CheckReport) error {
	type fault struct {
		Object *string `json:"object"`
		Text   string  `json:"text"`
	}
	o := struct {
		Relations int     `json:"relations"`
		Blocks    int64   `json:"blocks"`
		Bytes     int64   `json:"bytes"`
		Versions  int64   `json:"versions"`
		Faults    []fault `json:"faults"`
	}{r.Relations, r.Blocks, r.Bytes, r.Versions, []fault{}}
	for _, f := range r.Faults {
		j := fault{Text: f.Text}
		if f.Object != "" {
			j.Object = &f.Object
		}
		o.Faults = append(o.Faults, j)
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return written(0, enc.Encode(o))
}

func written(_ int, err error) error {
	if err != nil {
		return &exit{exitFailed, fmt.Errorf("write: %w", err)}
	}
	return nil
}
