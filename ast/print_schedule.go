package ast

func (p *printer) refreshClause(mode RefreshMode, t *Trigger) {
	if mode == ModeDefault && t == nil {
		return
	}
	p.put(" REFRESH")
	p.when(mode != ModeDefault, " "+mode.String())
	if t != nil {
		p.put(" ", t.String())
	}
}

func (p *printer) alterView(s *AlterView) {
	p.put("ALTER MATERIALIZED VIEW ")
	p.when(s.IfExists, "IF EXISTS ")
	p.name(s.View)
	switch {
	case s.With.Text != "":
		p.put(" REPLACE WITH MATERIALIZED VIEW ")
		p.name(s.With)
		if len(s.Properties) > 0 {
			p.put(" PROPERTIES ")
			p.properties(s.Properties)
		}
	case len(s.Properties) > 0:
		p.put(" SET ")
		p.properties(s.Properties)
	default:
		p.refreshClause(s.Mode, s.Trigger)
	}
}

func (p *printer) job(s *Job) {
	p.put([]string{"PAUSE", "RESUME", "CANCEL"}[s.Action], " MATERIALIZED VIEW ")
	if s.Action == CancelTask {
		p.put("TASK ", s.Task.Text)
	} else {
		p.put("JOB")
	}
	p.put(" ON ")
	p.name(s.View)
}
