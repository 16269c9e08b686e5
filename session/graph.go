package session

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/explain"
	"github.com/ivmc/ivmc/storage"
)

// Graph prints which views and streams read what, in one of [explain.GraphFormats].
func (e *Engine) Graph(ctx context.Context, format string) (text string, err error) {
	defer e.guard(&err)
	g, err := e.graph(ctx)
	if err != nil {
		return "", err
	}
	text, err = g.Format(format)
	return text, worded(err)
}

// graph is everything that has a name, each after what it reads.
func (e *Engine) graph(ctx context.Context) (*explain.Graph, error) {
	st, err := e.Status(ctx)
	if err != nil {
		return nil, err
	}
	status := map[string]RelationStatus{}
	for _, r := range st.Relations {
		status[r.Name] = r
	}
	cat := e.store.Catalog()
	g := &explain.Graph{}
	seen := map[storage.ID]bool{}
	var visit func(obj *storage.Object) error
	visit = func(obj *storage.Object) error {
		if seen[obj.ID] {
			return nil
		}
		seen[obj.ID] = true
		ids, err := reads(cat, obj)
		if err != nil {
			return worded(err)
		}
		n := &explain.Node{Name: obj.Name, Kind: obj.Kind.String(), Reads: []string{}}
		for _, id := range ids {
			in, ok := cat.ByID(id)
			if !ok { // it was dropped
				continue
			}
			if err := visit(in); err != nil {
				return err
			}
			n.Reads = append(n.Reads, in.Name)
		}
		if r, ok := status[obj.Name]; ok {
			n.Rows, n.Bytes = r.Size.Rows, r.Size.LogBytes+r.Size.StateBytes
			if obj.Kind == storage.View {
				n.View = nodeView(r)
			}
			if s := r.Stream; s != nil {
				n.Stream = &explain.NodeStream{Type: s.Type, Pending: r.Pending, Stale: s.Stale}
			}
		}
		g.Nodes = append(g.Nodes, n)
		return nil
	}
	for _, obj := range named(cat, storage.Table, storage.View, storage.Query, storage.Stream) {
		if err := visit(obj); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// reads are what an object reads itself, in the order of their names.
func reads(cat *storage.Catalog, obj *storage.Object) ([]storage.ID, error) {
	switch obj.Kind {
	case storage.View, storage.Query:
		refs, err := refsOf(obj)
		ids := slices.Sorted(maps.Values(refs))
		slices.SortFunc(ids, func(a, b storage.ID) int { return strings.Compare(nameOf(cat, a), nameOf(cat, b)) })
		return slices.Compact(ids), err
	case storage.Stream:
		s, err := streamOf(cat, obj)
		return []storage.ID{s.Base}, err
	}
	return nil, nil
}

func nameOf(cat *storage.Catalog, id storage.ID) string {
	if obj, ok := cat.ByID(id); ok {
		return obj.Name
	}
	return ""
}

func nodeView(r RelationStatus) *explain.NodeView {
	return &explain.NodeView{Mode: r.Mode.String(), Trigger: r.Trigger, Blockers: append([]string{}, r.Blockers...), Built: r.Built,
		Pending: r.Pending, LagMS: r.Behind.Milliseconds()}
}
