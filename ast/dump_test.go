package ast

import (
	"fmt"
	"reflect"
	"strings"
)

// dump writes a tree with positions, one node a line. Fields that say nothing
// are left out.
func dump(v any) string {
	var b strings.Builder
	dumpValue(&b, "", reflect.ValueOf(v), 0)
	return b.String()
}

func dumpValue(b *strings.Builder, label string, v reflect.Value, depth int) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	indent := strings.Repeat("  ", depth)
	if label != "" {
		label += ": "
	}
	switch v.Kind() {
	case reflect.Struct:
		dumpStruct(b, indent+label, v, depth)
	case reflect.Slice:
		for i := 0; i < v.Len(); i++ {
			if e := v.Index(i); e.Kind() == reflect.Interface && e.IsNil() {
				fmt.Fprintf(b, "%s%sDEFAULT\n", indent, label)
				continue
			}
			dumpValue(b, strings.TrimSuffix(label, ": "), v.Index(i), depth)
		}
	default:
		if !v.IsZero() {
			fmt.Fprintf(b, "%s%s%v\n", indent, label, v.Interface())
		}
	}
}

func dumpStruct(b *strings.Builder, head string, v reflect.Value, depth int) {
	if n, ok := v.Interface().(Name); ok {
		if n.Text != "" {
			fmt.Fprintf(b, "%s%s @%d\n", head, QuoteIdent(n.Text), n.Start)
		}
		return
	}
	fmt.Fprintf(b, "%s%s", head, v.Type().Name())
	for i := 0; i < v.NumField(); i++ {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			if f.Len() > 0 {
				fmt.Fprintf(b, " %q", f.String())
			}
		case reflect.Bool:
			if f.Bool() {
				b.WriteString(" " + v.Type().Field(i).Name)
			}
		case reflect.Int, reflect.Uint8:
			fmt.Fprintf(b, " %v", f.Interface())
		}
	}
	fmt.Fprintf(b, " @%d\n", v.Field(0).Field(0).Int())
	for i := 1; i < v.NumField(); i++ {
		switch f := v.Field(i); f.Kind() {
		case reflect.String, reflect.Bool, reflect.Int, reflect.Uint8:
		case reflect.Struct:
			if v.Type().Field(i).Anonymous { // has no place of its own
				for k := range f.NumField() {
					dumpValue(b, f.Type().Field(k).Name, f.Field(k), depth+1)
				}
				continue
			}
			dumpValue(b, v.Type().Field(i).Name, f, depth+1)
		default:
			dumpValue(b, v.Type().Field(i).Name, f, depth+1)
		}
	}
}
