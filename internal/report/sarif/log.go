package sarif

// The objects of the standard, as far as a log has them, with members in a fixed order.

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool        tool            `json:"tool"`
	Invocations []invocation    `json:"invocations"`
	Bases       map[string]base `json:"originalUriBaseIds"`
	ColumnKind  string          `json:"columnKind"`
	Results     []result        `json:"results"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name    string       `json:"name"`
	Version string       `json:"version,omitempty"`
	URI     string       `json:"informationUri,omitempty"`
	Rules   []descriptor `json:"rules"`
}

type descriptor struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Short      message        `json:"shortDescription"`
	Full       message        `json:"fullDescription"`
	Help       message        `json:"help"`
	URI        string         `json:"helpUri,omitempty"`
	Default    configuration  `json:"defaultConfiguration"`
	Properties ruleProperties `json:"properties"`
}

type ruleProperties struct {
	Tags []string `json:"tags"`
}

type configuration struct {
	Level string `json:"level"`
}

type message struct {
	Text string `json:"text"`
}

type base struct {
	Description message `json:"description"`
}

type invocation struct {
	Successful bool           `json:"executionSuccessful"`
	Notes      []notification `json:"toolExecutionNotifications"`
}

type notification struct {
	Level   string  `json:"level"`
	Message message `json:"message"`
}

type result struct {
	RuleID       string           `json:"ruleId"`
	RuleIndex    int              `json:"ruleIndex"`
	Level        string           `json:"level"`
	Message      message          `json:"message"`
	Locations    []location       `json:"locations"`
	Related      []location       `json:"relatedLocations,omitempty"`
	Prints       fingerprints     `json:"partialFingerprints"`
	Suppressions []suppression    `json:"suppressions"`
	Baseline     string           `json:"baselineState,omitempty"`
	Fixes        []fix            `json:"fixes,omitempty"`
	Properties   resultProperties `json:"properties"`
}

// fingerprints are the same word twice: under a name of ours, and under the one that code scanning matches results by.
type fingerprints struct {
	Finding string `json:"findingHash/v1"`
	Line    string `json:"primaryLocationLineHash"`
}

type suppression struct {
	Kind   string `json:"kind"`
	Status string `json:"status"`
	Why    string `json:"justification"`
}

type resultProperties struct {
	Model     string `json:"model"`
	Command   string `json:"command"`
	Severity  string `json:"severity"`
	Gates     bool   `json:"gates"`
	Component string `json:"component,omitempty"`
	Fix       string `json:"fix,omitempty"`
}

type location struct {
	Physical physical  `json:"physicalLocation"`
	Logical  []logical `json:"logicalLocations,omitempty"`
}

type physical struct {
	Artifact artifact `json:"artifactLocation"`
	Region   region   `json:"region"`
}

type artifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type region struct {
	StartLine int `json:"startLine"`
}

// fix is a change that mends a result.
type fix struct {
	Description message          `json:"description"`
	Changes     []artifactChange `json:"artifactChanges"`
}

type artifactChange struct {
	Artifact     artifact      `json:"artifactLocation"`
	Replacements []replacement `json:"replacements"`
}

type replacement struct {
	Deleted  lineRegion `json:"deletedRegion"`
	Inserted message    `json:"insertedContent"`
}

// lineRegion is whole lines, without the line ending of the last: that is what a region without columns is.
type lineRegion struct {
	Start int `json:"startLine"`
	End   int `json:"endLine"`
}

type logical struct {
	Name string `json:"name,omitempty"`
	Full string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}
