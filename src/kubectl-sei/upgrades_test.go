package main

import (
	"strings"
	"testing"
)

func TestPreparationOfANodeIsInOneLine(t *testing.T) {
	left := []chainCountdown{{ChainID: "pacific-1", Upgrade: "v6.8", SecondsLeft: 7200}}
	for _, row := range []struct {
		name    string
		upgrade upgrade
		words   []string
	}{
		{"listed only", upgrade{Name: "v7"},
			[]string{"not pulled yet; not inspected yet; files: nothing to compare; expected at an unknown time"}},
		{"prepared", upgrade{
			Name: "v6.8", PulledAt: "2026-11-20T10:00:00Z", SeidVersion: "v6.8.0",
			Configuration: &upgradeConfiguration{State: "Accepted"},
		}, []string{"pulled 2026-11-20T10:00:00Z; inspected: seid v6.8.0; files: Accepted; expected 20"}},
		{"pull failed", upgrade{Name: "v7", PullError: "not\nfound", PulledAt: "2026-11-20T10:00:00Z"},
			[]string{"not pulled: not found;"}},
		{"no seid", upgrade{Name: "v7", PulledAt: "2026-11-20T10:00:00Z", InspectionError: "it has no program seid"},
			[]string{"inspected: it has no program seid;"}},
		{"refused", upgrade{
			Name:          "v7",
			Configuration: &upgradeConfiguration{State: "Refused", Message: "app.toml has evm.old"},
		}, []string{"files: Refused, app.toml has evm.old;"}},
		{"last hour", upgrade{Name: "v6.8", ExpectedAt: "2026-11-24T17:30:00Z"}, []string{"; expected 2026-11-24T17:30:00Z"}},
	} {
		line := row.upgrade.preparation(expectedAt("pacific-1", row.upgrade, left))
		for _, words := range row.words {
			if !strings.Contains(line, words) {
				t.Errorf("%s: %q lacks %q", row.name, line, words)
			}
		}
		if strings.Contains(line, "\n") {
			t.Errorf("%s: %q is more than a line", row.name, line)
		}
	}
}
