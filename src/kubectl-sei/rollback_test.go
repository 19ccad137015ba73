package main

import "testing"

func TestImageBeforeIsThatOfTheLastCompletedPlan(t *testing.T) {
	history := []string{
		"2026-06-01T09:59:48Z Init to sei:a after 4s: Complete",
		"2026-06-01T10:59:48Z Update to sei:b after 4s: Complete",
		"2026-06-01T11:59:48Z Update to sei:c after 4s: Failed",
		"2026-06-01T12:59:48Z Update to sei:d after 4s: Complete",
	}
	for asked, want := range map[string]string{"sei:d": "sei:b", "sei:x": "sei:d"} {
		if got := imageBefore(history, asked); got != want {
			t.Errorf("before %s: %q, not %q", asked, got, want)
		}
	}
	if got := imageBefore(history[:1], "sei:a"); got != "" {
		t.Errorf("there is nothing before the first image, but %q", got)
	}
}
