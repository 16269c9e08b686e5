package ivmc

import (
	"context"
	"errors"
	"fmt"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/load"
	"github.com/ivmc/ivmc/zset"
)

// LoadOptions say how [DB.Load] reads files. The zero value follows the ending of
// each file's name: csv, json, parquet or arrow, and .gz or .zst behind it.
type LoadOptions struct {
	Format    string                 // "csv", "json", "parquet" or "arrow"; "": by the ending
	NoHeader  bool                   // a CSV starts with its first row; columns go by position
	Null      string                 // the unquoted CSV field that is NULL
	Delimiter byte                   // of a CSV; 0: a comma
	Key       []string               // the PRIMARY KEY of a table that is made; of one that is there: refused
	Progress  func(done, size int64) // hears how much of the file at hand is read, in bytes
	Dir       string                 // where relative names are looked up; "": the directory of the process
}

// Load adds the rows of files to a table, all of them in one transaction, and
// returns their number. If there is no such table it is made first: with the
// columns of the first file, whose types are those of the file, or of a CSV or
// JSON file those that keep each value of the files as it is written. A failed Load leaves nothing.
//
// Errors name file, row and column. They are those of COPY: 58P01, 42501, 42703,
// 22P02, 22P04 and so on.
func (db *DB) Load(ctx context.Context, table string, o LoadOptions, files ...string) (rows int64, err error) {
	ctx = orBackground(ctx)
	s := db.engine.Session()
	defer s.Close()
	run := func(stmt ast.Statement) (int64, error) {
		text := ast.Print(stmt)
		res, err := s.Run(ctx, text)
		if err != nil {
			return 0, noText(publish(err, text))
		}
		return res.Affected, nil
	}
	made := false
	_, known := db.engine.Store().Catalog().ByName(table)
	switch {
	case known && len(o.Key) > 0:
		return 0, &Error{Code: "42P07", Message: fmt.Sprintf("relation \"%s\" already exists", table), Hint: "Its key stays as it is: load without one."}
	case !known:
		def, err := db.fileTable(ctx, table, o, files)
		if err != nil {
			return 0, publish(err, "")
		}
		if _, err := run(def); err != nil {
			return 0, err
		}
		made = true
	}
	defer func() {
		if err != nil && made {
			s := db.engine.Session()
			defer s.Close()
			_, derr := s.Run(context.WithoutCancel(ctx), "DROP TABLE "+ast.QuoteIdent(table))
			err = errors.Join(err, publish(derr, ""))
		}
	}()
	if _, err := run(&ast.Begin{}); err != nil {
		return 0, err
	}
	s.Progress, s.Dir = o.Progress, o.Dir
	for _, f := range files {
		n, err := run(&ast.Copy{Table: ast.Name{Text: table}, File: f, Options: o.options()})
		if err != nil {
			return 0, err
		}
		rows += n
	}
	if _, err := run(&ast.Commit{}); err != nil {
		return 0, err
	}
	return rows, nil
}

// String lists the options with their defaults, one line.
func (o LoadOptions) String() string {
	format, delimiter := o.Format, o.Delimiter
	if format == "" {
		format = "by the ending"
	}
	if delimiter == 0 {
		delimiter = ','
	}
	return fmt.Sprintf("format=%q no_header=%t null=%q delimiter=%q key=%q dir=%q", format, o.NoHeader, o.Null, string(delimiter), o.Key, o.Dir)
}

// options are o in SQL.
func (o LoadOptions) options() (out []ast.CopyOption) {
	add := func(name, value string) {
		out = append(out, ast.CopyOption{Name: name, Value: value, Given: true})
	}
	if o.Format != "" {
		add("format", o.Format)
	}
	if o.NoHeader {
		add("header", "false")
	}
	if o.Null != "" {
		add("null", o.Null)
	}
	if o.Delimiter != 0 {
		add("delimiter", string([]byte{o.Delimiter}))
	}
	return out
}

// fileTable is the table that the first file would fit in.
func (db *DB) fileTable(ctx context.Context, table string, o LoadOptions, files []string) (*ast.CreateTable, error) {
	def := &ast.CreateTable{Name: ast.Name{Text: table}}
	if db.opts.NoFiles { // the COPY behind it will say so
		return nil, &Error{Code: "42501", Message: "files are switched off for this database"}
	}
	if len(files) == 0 {
		return nil, &Error{Code: "22023", Message: fmt.Sprintf("there is no table %q, and no file to take its columns from", table)}
	}
	fields, err := load.Infer(ctx, load.Options{Format: load.Format(o.Format), NoHeader: o.NoHeader, Null: o.Null, Delimiter: o.Delimiter, Dir: o.Dir}, files...)
	if err != nil {
		return nil, err
	}
	for i, f := range fields {
		if f.Name == "" {
			return nil, &Error{Code: "22P04", Message: fmt.Sprintf("column %d of file %q has no name", i+1, files[0]),
				Hint: "Make the table first, and write the file with names."}
		}
		t := ast.TypeName{Name: f.Type.String()}
		if f.Type.Kind == zset.Numeric && f.Type.Prec > 0 {
			t = ast.TypeName{Name: "numeric", Args: []int{int(f.Type.Prec), int(f.Type.Scale)}}
		}
		def.Columns = append(def.Columns, ast.ColumnDef{Name: ast.Name{Text: f.Name}, Type: t})
	}
	if len(o.Key) > 0 {
		def.Keys = []ast.KeyDef{{Kind: ast.PrimaryKey}}
		for _, k := range o.Key {
			def.Keys[0].Columns = append(def.Keys[0].Columns, ast.Name{Text: k})
		}
	}
	if len(def.Columns) == 0 {
		return nil, &Error{Code: "22P04", Message: fmt.Sprintf("file %q has no columns", files[0])}
	}
	return def, nil
}

// noText takes the position off an error: the text is not the caller's.
func noText(err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.Position, e.Line, e.Column = 0, 0, 0
	}
	return err
}
