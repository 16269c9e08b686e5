package zset

import (
	"encoding/json"
	"math"
)

// valueJSON is a Value as JSON can carry it without loss: bits of a float, which
// may be NaN, and bytes, which need not be UTF-8.
type valueJSON struct {
	Type Type   `json:"t"`
	Null bool   `json:"null,omitempty"`
	I    int64  `json:"i,omitempty"`
	F    uint64 `json:"f,omitempty"`
	S    []byte `json:"s,omitempty"`
}

// MarshalJSON writes v without loss.
func (v Value) MarshalJSON() ([]byte, error) {
	return json.Marshal(valueJSON{v.Type, v.Null, v.I, math.Float64bits(v.F), []byte(v.S)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Value) UnmarshalJSON(b []byte) error {
	var j valueJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*v = Value{j.Type, j.Null, j.I, math.Float64frombits(j.F), string(j.S)}
	return nil
}
