package ivmc

import "encoding/json"

// errorText is an [Error] as JSON.
type errorText struct {
	Code     string   `json:"code"`
	Message  string   `json:"message"`
	Detail   string   `json:"detail,omitempty"`
	Hint     string   `json:"hint,omitempty"`
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	Position int      `json:"position,omitempty"`
	Object   string   `json:"object,omitempty"`
	Is       string   `json:"is,omitempty"` // the text of the sentinel
	Errors   []*Error `json:"errors,omitempty"`
}

// MarshalJSON writes everything that e says, so that it can be handed to another
// process: there errors.Is answers as it does here.
func (e *Error) MarshalJSON() ([]byte, error) {
	t := errorText{e.Code, e.Message, e.Detail, e.Hint, e.Line, e.Column, e.Position, e.Object, "", e.Errors}
	if e.is != nil {
		t.Is = e.is.Error()
	}
	return json.Marshal(t)
}

// UnmarshalJSON reads what [Error.MarshalJSON] wrote.
func (e *Error) UnmarshalJSON(b []byte) error {
	var t errorText
	if err := json.Unmarshal(b, &t); err != nil {
		return err
	}
	*e = Error{Code: t.Code, Message: t.Message, Detail: t.Detail, Hint: t.Hint, Line: t.Line, Column: t.Column,
		Position: t.Position, Object: t.Object, Errors: t.Errors}
	for _, s := range sentinels() {
		if t.Is != "" && s.is.Error() == t.Is {
			e.is = s.is
		}
	}
	return nil
}
