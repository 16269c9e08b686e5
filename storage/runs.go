package storage

import "github.com/ivmc/ivmc/zset"

// rowRun is rows [from, to) of a page.
type rowRun struct{ from, to int32 }

// runsOf appends the runs of consecutive positions in sel.
func runsOf(sel []int32, runs []rowRun) []rowRun {
	for k := 0; k < len(sel); {
		from := k
		for k++; k < len(sel) && sel[k] == sel[k-1]+1; k++ {
		}
		runs = append(runs, rowRun{sel[from], sel[k-1] + 1})
	}
	return runs
}

// takeRuns is the n cells of src in runs: whole runs are copied at once, for the
// dead rows of a page are few as a rule.
func takeRuns(src *zset.Column, runs []rowRun, n int) zset.Column {
	out := zset.Column{Type: src.Type}
	switch src.Type.Phys() {
	case zset.PhysI64:
		out.I64 = copyRuns(src.I64, runs, n)
	case zset.PhysF64:
		out.F64 = copyRuns(src.F64, runs, n)
	default:
		bytes := 0
		for _, r := range runs {
			bytes += int(src.Off[r.to] - src.Off[r.from])
		}
		out.Off, out.Buf = make([]uint32, n+1), make([]byte, bytes)
		row, at := 0, uint32(0)
		for _, r := range runs {
			off := src.Off[r.from : r.to+1]
			shift := at - off[0]
			dst := out.Off[row : row+len(off)]
			for i, o := range off {
				dst[i] = o + shift
			}
			at += uint32(copy(out.Buf[at:], src.Buf[off[0]:off[len(off)-1]]))
			row += len(off) - 1
		}
	}
	if src.Null != nil {
		out.Null = copyRuns(src.Null, runs, n)
	}
	return out
}

func copyRuns[T any](src []T, runs []rowRun, n int) []T {
	out := make([]T, 0, n)
	for _, r := range runs {
		out = append(out, src[r.from:r.to]...)
	}
	return out
}
