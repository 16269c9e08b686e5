// Command bench measures every figure of docs/benchmarks.md on the flights and
// airports of vega-datasets 3.2.1 (flights-3m.parquet, airports.csv), prints
// one table, and writes the same as JSON.
//
// Each section runs in a process of its own, so that memory and warm caches of
// one do not colour the next. What is compared is compared within one process,
// interleaved; this is what makes the ratios hold on a noisy machine.
//
//	go run ./internal/testkit/bench -data DIR -json bench.json
//	go run ./internal/testkit/bench -data DIR -section volatile -view G2
package main
