package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/serve"
)

// consumption is a run of ivmc consume.
type consumption struct {
	a        *app
	stream   string
	command  []string
	envelope ivmc.Envelope
}

func (a *app) consumeCommand() *cobra.Command {
	var batch int
	var follow bool
	var envelope string
	c := &cobra.Command{
		Use:   "consume STREAM -- COMMAND [ARG..]",
		Short: "hand the changes of a stream to a command",
		Long: `Hand the pending changes of a table stream to a command, as lines of JSON on its
standard input, one run a batch. A batch ends where a commit ends. The stream
moves when the command exits 0, and not else: what failed is handed over again
next time. The status is 1 then. With --follow, wait for more until interrupted.

A batch is written down before the command starts, so that it finds all of it there
whatever happens. The command finds IVMC_STREAM, IVMC_FROM and IVMC_TO in its environment: the batch
has what was committed after FROM and not after TO, which are TSOs. A target that
stores TO with the rows, in one transaction, skips what it has already.`,
		Example: `  ivmc consume new_orders --db data -- tee -a orders.jsonl
  ivmc consume new_orders --db data --batch 100 --envelope debezium -- ./send.sh`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			dash := cmd.ArgsLenAtDash()
			if dash != 1 || len(args) < 2 {
				return &exit{exitUsage, errors.New("give the name of a stream, then -- and a command")}
			}
			if batch < 1 {
				return &exit{exitUsage, errors.New("a batch has one row at least")}
			}
			x := consumption{a: a, stream: relation(args[0]), command: args[1:]}
			if x.envelope, err = ivmc.ParseEnvelope(envelope); err != nil {
				return &exit{exitUsage, err}
			}
			db, err := a.open(true)
			if err != nil {
				return err
			}
			defer closeDB(db, &err)
			return x.run(cmd.Context(), db, batch, follow)
		},
	}
	c.Flags().IntVar(&batch, "batch", 1000, "rows of a batch, about; of one commit at least")
	c.Flags().BoolVar(&follow, "follow", false, "wait for more")
	c.Flags().StringVar(&envelope, "envelope", "rows", "rows, weights or debezium")
	return c
}

func (x *consumption) run(ctx context.Context, db serve.Store, batch int, follow bool) error {
	c, err := db.Consumer(ctx, x.stream, ivmc.ConsumerOptions{BatchRows: batch})
	if err != nil {
		return &exit{exitFailed, err}
	}
	defer c.Close()
	next := c.Poll
	if follow {
		next = c.Next
	}
	for {
		d, err := next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return &exit{exitFailed, err}
		}
		if d == nil {
			return nil
		}
		if err := x.hand(ctx, d); err != nil {
			return &exit{exitFailed, err}
		}
		if err := c.Acknowledge(context.WithoutCancel(ctx), d); err != nil { // the command has done it
			return &exit{exitFailed, err}
		}
	}
}

// hand runs the command over d, which is written down before it starts: whatever
// becomes of this process or of a server, the end of its input is the end of the batch.
func (x *consumption) hand(ctx context.Context, d serve.Delivery) error {
	batch, drop, err := x.written(ctx, d)
	if err != nil {
		return err
	}
	defer drop()
	cmd := exec.CommandContext(ctx, x.command[0], x.command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = batch, below(x.a.out).(io.Writer), x.a.err // a file is handed on as it is
	from, to := d.Bounds()
	cmd.Env = append(os.Environ(), "IVMC_STREAM="+x.stream, fmt.Sprint("IVMC_FROM=", from), fmt.Sprint("IVMC_TO=", to))
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("cannot run %s: %w; the stream stays where it was", x.command[0], err)
	}
	// A command that does not read to the end may still exit 0: its status counts.
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w; the stream stays where it was", x.command[0], err)
	}
	return nil
}

// written is all of d in a temporary file, at its beginning; drop removes it.
func (x *consumption) written(ctx context.Context, d serve.Delivery) (f *os.File, drop func(), err error) {
	if f, err = os.CreateTemp("", "ivmc-batch-*"); err != nil {
		return nil, nil, err
	}
	_ = os.Remove(f.Name()) // an open file stays; where the system forbids it, drop does it
	drop = func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}
	out := bufio.NewWriterSize(f, 64<<10)
	if _, err = d.WriteJSON(ctx, out, x.envelope); err == nil {
		err = out.Flush()
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		drop()
		return nil, nil, err
	}
	return f, drop, nil
}
