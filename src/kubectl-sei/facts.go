package main

import (
	_ "embed"
	"encoding/json"
)

//go:embed facts.json
var factsFile []byte

// facts are what the operator's own sources say: the build writes them to facts.json from its tables.
var facts = readFacts()

type operatorFacts struct {
	Version string `json:"version"`
	// NodeFields has what a change of each field of a node's spec does.
	NodeFields []specField `json:"nodeFields"`
	// FleetFields are the fields of a fleet's spec beside its template.
	FleetFields []string `json:"fleetFields"`
	// Runbooks are the reasons that have a page.
	Runbooks []string `json:"runbooks"`
	// Settings are the environment variables that the operator reads.
	Settings []string `json:"settings"`
	// Releases is what is known of releases of seid.
	Releases releaseList `json:"releases"`
}

// specField is a row of the operator's table SpecFields.
type specField struct {
	Path   string     `json:"path"`
	Effect specEffect `json:"effect"`
	Scope  string     `json:"scope"`
}

const (
	// ofTemplate is the scope of fields that are stored with the versions of a template.
	ofTemplate = "TEMPLATE"
	// ofOneNode and ofOneNodeOnly are the scopes of fields that a node of a fleet keeps as they are set on it.
	ofOneNode     = "NODE"
	ofOneNodeOnly = "NODE_ONLY"
)

type specEffect string

const (
	restartsPod    specEffect = "RESTARTS"
	configuresSeid specEffect = "CONFIGURES"
)

func readFacts() operatorFacts {
	var read operatorFacts
	if err := json.Unmarshal(factsFile, &read); err != nil {
		panic("facts.json: " + err.Error()) // A build with such a file fails its tests.
	}
	return read
}
