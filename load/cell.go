package load

import (
	"errors"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// appendText appends the cell that text s stands for.
func appendText(c *zset.Column, s []byte, zone *zset.Zone) error {
	if c.Type.Kind == zset.Text {
		if err := zset.CheckText(string(s)); err != nil {
			return encoded(err)
		}
		c.AppendBytes(s)
		return nil
	}
	v, err := zset.ParseTextIn(c.Type, string(s), zone)
	if err != nil {
		return encoded(err)
	}
	c.AppendValue(v)
	return nil
}

// encoded says of a text that is not UTF-8 what to do.
func encoded(err error) error {
	var e *zset.Error
	if errors.As(err, &e) && e.Code == codeEncoding && e.Hint == "" && !strings.HasSuffix(e.Msg, " 0x00") {
		e.Hint = "Text has to be UTF-8. Convert a file that is not first, as by: iconv -f WINDOWS-1252 -t UTF-8"
	}
	return err
}
