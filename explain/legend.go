package explain

import (
	"fmt"
	"sort"
	"strings"
)

// legend explains the words that the plan uses, and no others.
func (p *page) legend(r *Report) {
	words := map[string]bool{}
	terms := map[string]string{}
	hide := r.Run == nil
	r.Plan.walk(func(o *Operator) {
		if o.plain && hide {
			return
		}
		words["["+o.Class+"]"] = true
		if o.Reads != nil {
			words["@"+o.Reads.Side] = true
			words[o.Reads.How] = true
		}
		words["state"] = words["state"] || len(o.Keeps) > 0
		words["term"] = words["term"] || strings.HasPrefix(o.Text, "join: one term")
		words["columns"] = words["columns"] || o.Identity.By == "columns"
		words["whole row"] = words["whole row"] || o.Identity.By == "whole row"
		for _, t := range o.Cost.Where {
			if terms[t.Letter] == "" {
				terms[t.Letter] = t.Counts
			} else if terms[t.Letter] != t.Counts {
				terms[t.Letter] = general(t.Letter, o.Class)
			}
		}
	})
	var letters []string
	for l := range terms {
		letters = append(letters, l)
	}
	sort.Strings(letters)
	for i, l := range letters {
		letters[i] = l + ": " + terms[l]
	}
	p.line("")
	p.line("How to read it:")
	entry := func(on bool, word, says string) {
		if on {
			p.par(fmt.Sprintf("  %-11s ", word), strings.Repeat(" ", 14), says)
		}
	}
	entry(words["[D]"], "[D]", "works on changed rows alone")
	entry(words["[R]"], "[R]", "computes the groups that changed rows touch anew")
	entry(words["changes"], "(lo, hi]", "what was committed after the last refresh, lo, up to this one, hi")
	entry(words["@lo"] || words["@hi"], "@lo, @hi", "as it stood then, also while others write")
	entry(words["term"], "one term", "inputs before the one that changed are read @hi, those after it @lo, so that a pair of which both sides are new counts once")
	entry(words["arrangement"], "arrangement", "an index in memory, which all views share")
	entry(words["state"], "state", "what the view keeps between refreshes, to need no whole table")
	entry(words["columns"] || words["whole row"], "identity", "the columns that tell rows apart; the whole row where there are none: it may stand several times")
	entry(len(letters) > 0, "O(..)", strings.Join(letters, "; "))
}

// general is what a letter counts where it counts several things.
func general(letter, class string) string {
	says := map[string]string{
		"d": "changed rows, as they come from below", "m": "rows that one of them finds", "n": "rows of what is named there",
		"v": "values of one group", "g": "groups with a change", "k": "rows or keys asked for",
	}
	if class == "" {
		says["n"], says["m"] = "rows, as they come from below", "rows that are found"
	}
	return says[letter]
}
