package load

import "github.com/ivmc/ivmc/zset"

// appendText appends the cell that text s stands for.
func appendText(c *zset.Column, s []byte, zone *zset.Zone) error {
	if c.Type.Kind == zset.Text {
		if err := zset.CheckText(string(s)); err != nil {
			return err
		}
		c.AppendBytes(s)
		return nil
	}
	v, err := zset.ParseTextIn(c.Type, string(s), zone)
	if err != nil {
		return err
	}
	c.AppendValue(v)
	return nil
}
