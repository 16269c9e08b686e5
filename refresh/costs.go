package refresh

// costs is what the refreshes of a view were measured to cost.
type costs struct{}
