package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
)

// flights is the Parquet file as slices; row i has id i+1. It holds no pointer a row:
// six million strings would be looked at by every collection of garbage, in the middle
// of what is measured.
type flights struct {
	date            []int64 // microseconds
	delay, distance []int64
	from, to        []uint16 // places in airports
	airports        []string
}

func (f *flights) origin(r int) string { return f.airports[f.from[r]] }
func (f *flights) dest(r int) string   { return f.airports[f.to[r]] }

// flightsDDL and airportsDDL are the two tables of the benchmark.
const (
	flightsDDL  = `CREATE TABLE flights(id BIGINT PRIMARY KEY, date TIMESTAMP, delay BIGINT, distance BIGINT, origin TEXT, destination TEXT)`
	airportsDDL = `CREATE TABLE airports(iata TEXT PRIMARY KEY, name TEXT, city TEXT, state TEXT, country TEXT, latitude DOUBLE PRECISION, longitude DOUBLE PRECISION)`
)

func readFlights(dir string) (*flights, error) {
	r, err := file.OpenParquetFile(filepath.Join(dir, "flights-3m.parquet"), false)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	pr, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{BatchSize: 1 << 16}, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	rr, err := pr.GetRecordReader(context.Background(), nil, nil)
	if err != nil {
		return nil, err
	}
	defer rr.Release()
	f := &flights{}
	places := map[string]uint16{}
	place := func(name string) uint16 {
		p, ok := places[name]
		if !ok {
			p = uint16(len(f.airports))
			name = strings.Clone(name)
			f.airports, places[name] = append(f.airports, name), p
		}
		return p
	}
	for rr.Next() {
		rec := rr.Record()
		for c := range int(rec.NumCols()) {
			name, col := rec.ColumnName(c), rec.Column(c)
			switch col := col.(type) {
			case *array.Timestamp:
				for _, v := range col.TimestampValues() {
					f.date = append(f.date, int64(v))
				}
			case *array.Int64:
				if name == "delay" {
					f.delay = append(f.delay, col.Int64Values()...)
				} else {
					f.distance = append(f.distance, col.Int64Values()...)
				}
			case *array.LargeString:
				for i := range col.Len() {
					if name == "origin" {
						f.from = append(f.from, place(col.Value(i)))
					} else {
						f.to = append(f.to, place(col.Value(i)))
					}
				}
			default:
				return nil, fmt.Errorf("column %s has type %s", name, col.DataType())
			}
		}
	}
	if err := rr.Err(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return f, nil
}

var flightsArrow = arrow.NewSchema([]arrow.Field{
	{Name: "__op", Type: arrow.PrimitiveTypes.Int8},
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "date", Type: &arrow.TimestampType{Unit: arrow.Microsecond}},
	{Name: "delay", Type: arrow.PrimitiveTypes.Int64},
	{Name: "distance", Type: arrow.PrimitiveTypes.Int64},
	{Name: "origin", Type: arrow.BinaryTypes.String},
	{Name: "destination", Type: arrow.BinaryTypes.String},
}, nil)

// The operations of a change record.
const (
	opInsert int8 = 0
	opDelete int8 = 1
	opUpsert int8 = 2
)

// record makes a change record of the flights rows; delay(row) gives the delay.
func (f *flights) record(op int8, rows []int32, delay func(row int32) int64) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, flightsArrow)
	defer b.Release()
	b.Reserve(len(rows))
	ops, id := b.Field(0).(*array.Int8Builder), b.Field(1).(*array.Int64Builder)
	date, dl := b.Field(2).(*array.TimestampBuilder), b.Field(3).(*array.Int64Builder)
	dist := b.Field(4).(*array.Int64Builder)
	org, dst := b.Field(5).(*array.StringBuilder), b.Field(6).(*array.StringBuilder)
	for _, r := range rows {
		ops.Append(op)
		id.Append(int64(r) + 1)
		date.Append(arrow.Timestamp(f.date[r]))
		dl.Append(delay(r))
		dist.Append(f.distance[r])
		org.Append(f.origin(int(r)))
		dst.Append(f.dest(int(r)))
	}
	return b.NewRecord()
}

func (f *flights) same(r int32) int64 { return f.delay[r] }

// pool deals out rows for changes and keeps the number of live rows steady:
// what is deleted can be inserted again later.
type pool struct {
	f    *flights
	rng  *rand.Rand
	live []int32 // rows in the table
	out  []int32 // rows held back
}

func newPool(f *flights, live, held int) *pool {
	p := &pool{f: f, rng: rand.New(rand.NewPCG(1, 2))}
	for i := range live {
		p.live = append(p.live, int32(i))
	}
	for i := live; i < live+held; i++ {
		p.out = append(p.out, int32(i))
	}
	return p
}

// insert takes n held-back rows.
func (p *pool) insert(n int) arrow.Record {
	rows := p.out[len(p.out)-n:]
	p.out = p.out[:len(p.out)-n]
	p.live = append(p.live, rows...)
	return p.f.record(opInsert, rows, p.f.same)
}

// delete takes n random live rows away.
func (p *pool) delete(n int) arrow.Record {
	rows := make([]int32, n)
	for i := range rows {
		j := p.rng.IntN(len(p.live))
		rows[i] = p.live[j]
		p.live[j] = p.live[len(p.live)-1]
		p.live = p.live[:len(p.live)-1]
	}
	p.out = append(p.out, rows...)
	return p.f.record(opDelete, rows, p.f.same)
}

// update changes the delay of n distinct random live rows.
func (p *pool) update(n int) arrow.Record {
	rows := make([]int32, n)
	for i := range rows { // a partial shuffle: distinct rows
		j := i + p.rng.IntN(len(p.live)-i)
		p.live[i], p.live[j] = p.live[j], p.live[i]
		rows[i] = p.live[i]
	}
	return p.f.record(opUpsert, rows, func(r int32) int64 { return p.f.delay[r] + int64(p.rng.IntN(240)) - 120 })
}

// airportsRecord reads airports.csv.
func airportsRecord(dir string) (arrow.Record, error) {
	fh, err := os.Open(filepath.Join(dir, "airports.csv"))
	if err != nil {
		return nil, err
	}
	defer fh.Close()
	lines, err := csv.NewReader(fh).ReadAll()
	if err != nil {
		return nil, err
	}
	fields := make([]arrow.Field, len(lines[0]))
	for i, name := range lines[0] {
		fields[i] = arrow.Field{Name: name, Type: arrow.BinaryTypes.String}
		if name == "latitude" || name == "longitude" {
			fields[i].Type = arrow.PrimitiveTypes.Float64
		}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for _, line := range lines[1:] {
		for i, cell := range line {
			if err := b.Field(i).AppendValueFromString(cell); err != nil {
				return nil, err
			}
		}
	}
	return b.NewRecord(), nil
}
