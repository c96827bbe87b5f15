package report

// Where what a record and a report refer to is published. A fork that publishes elsewhere changes these two lines.
const (
	Site      = "https://modelverifier.dev"
	SchemaURL = Site + "/schemas/precheck/v1.json" // of the record's JSON schema; the version is the major one alone
)

// RuleURL is the address of the page of a rule, whoever judges it.
func RuleURL(id string) string { return Site + "/r/" + id + ".html" }
