package load

import (
	"path/filepath"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// Format is how rows stand in a file.
type Format string

// The formats. FormatAuto follows the ending of the file's name.
const (
	FormatAuto    Format = ""
	FormatCSV     Format = "csv"
	FormatJSON    Format = "json"
	FormatParquet Format = "parquet"
	FormatArrow   Format = "arrow"
)

// Options say how a file is to be understood. The zero value is that of COPY
// without options.
type Options struct {
	Format Format
	// NoHeader: a CSV starts with its first row, and columns go by position.
	NoHeader bool
	// Null is the text of an unquoted CSV field that stands for NULL.
	Null string
	// Delimiter, Quote and Escape are those of a CSV; 0: a comma, a double quote, Quote.
	Delimiter, Quote, Escape byte
	// Dir is where names that do not begin at the root are looked up; "": the
	// directory of the process. Messages name files as they were given.
	Dir string
	// Zone is that of a time with a zone whose text names none; nil: UTC.
	Zone *zset.Zone
}

// at is where the file of a name is.
func (o Options) at(name string) string {
	if o.Dir == "" || name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(o.Dir, name)
}

// formats is the one table of endings.
var formats = []struct {
	ending string
	format Format
}{
	{".csv", FormatCSV}, {".tsv", FormatCSV}, {".json", FormatJSON}, {".jsonl", FormatJSON}, {".ndjson", FormatJSON},
	{".parquet", FormatParquet}, {".arrow", FormatArrow}, {".arrows", FormatArrow}, {".feather", FormatArrow}, {".ipc", FormatArrow},
}

// compressions is the one table of compressed files: their endings, and the bytes that
// they begin with, which no text does.
var compressions = []struct{ ending, magic string }{{".gz", "\x1f\x8b"}, {".zst", "\x28\xb5\x2f\xfd"}}

// FormatOf is the format that a file is taken to have; FormatAuto: nothing says.
func (o Options) FormatOf(path string) Format {
	o, _ = o.of(path)
	return o.Format
}

// of completes o for a file: the format by its ending, the defaults of a CSV.
// Errors 22023.
func (o Options) of(path string) (Options, error) {
	name := strings.ToLower(filepath.Base(path))
	for _, c := range compressions {
		name = strings.TrimSuffix(name, c.ending)
	}
	if o.Format == FormatAuto {
		for _, f := range formats {
			if strings.HasSuffix(name, f.ending) {
				o.Format = f.format
			}
		}
	}
	if o.Format == FormatCSV && o.Delimiter == 0 && strings.HasSuffix(name, ".tsv") {
		o.Delimiter = '\t'
	}
	switch o.Format {
	case FormatCSV, FormatJSON, FormatParquet, FormatArrow:
	case FormatAuto:
		e := zset.Errorf(codeParameter, -1, "the name of file %q says nothing of its format", path)
		e.Hint = "Name it: in COPY by (FORMAT csv), in ivmc load by --format csv; or json, parquet, arrow."
		return o, e
	default:
		e := zset.Errorf(codeParameter, -1, "COPY format %q not recognized", string(o.Format))
		e.Hint = "The formats are csv, json, parquet and arrow."
		return o, e
	}
	if o.Delimiter == 0 {
		o.Delimiter = ','
	}
	if o.Quote == 0 {
		o.Quote = '"'
	}
	if o.Escape == 0 {
		o.Escape = o.Quote
	}
	switch {
	case o.Delimiter == o.Quote:
		return o, zset.Errorf(codeParameter, -1, "COPY delimiter and quote must be different")
	case o.Delimiter == '\n' || o.Delimiter == '\r' || o.Quote == '\n' || o.Quote == '\r':
		return o, zset.Errorf(codeParameter, -1, "COPY delimiter and quote cannot be newline or carriage return")
	case strings.IndexByte(o.Null, o.Delimiter) >= 0 || strings.ContainsAny(o.Null, "\r\n"):
		return o, zset.Errorf(codeParameter, -1, "COPY null representation cannot use the delimiter, newline or carriage return")
	}
	return o, nil
}
