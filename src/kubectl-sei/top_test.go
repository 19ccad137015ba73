package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// hostile is a text that would clear a terminal, hide and colour what follows, forge a line and turn text around.
const hostile = `\u001b[2J\u001b[31m\u009b8m\u202e\u061c\u0007\r\nforged`

// topServer has a chain that is about to be upgraded, a fleet in a rollout, and nodes with problems.
func topServer(t *testing.T) string {
	t.Helper()
	node := func(name, fleet, status, conditions string) string {
		return fmt.Sprintf(`{"kind":"SeiNode","metadata":{"name":%q,"namespace":"default","generation":1,
			"labels":{"sei.io/nodedeployment":%q}},"spec":{"chainId":"pacific-1"},"status":{"observedGeneration":1,%s
			"currentImage":"ghcr.io/sei:v6.7.5","conditions":[{"type":"UpToDate","status":"True"},%s]}}`, name, fleet, status, conditions)
	}
	const (
		ready   = `{"type":"Ready","status":"True"}`
		stalled = `{"type":"Ready","status":"False","reason":"DiskFull"},{"type":"Stalled","status":"True","reason":"DiskFull",
			"message":"no room` + hostile + `"}`
		pulled = `"upgrades":[{"name":"v6.8","height":1000,"state":"Ready"}],`
	)
	return serve(t, map[string]http.HandlerFunc{
		"/clusterrolebindings": answer(`{"items":[{"subjects":[{"kind":"ServiceAccount","namespace":"ops","name":"sei"}]}]}`),
		"/ops/pods":            answer(`{"items":[{"metadata":{"name":"leader","namespace":"ops"}}]}`),
		"/leader:8080/proxy/metrics": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `sei_chain_height{chain="pacific-1",namespace="default"} 900
sei_chain_height{chain="pacific-1",namespace="elsewhere"} 5000
sei_chain_upgrade_height{chain="pacific-1",namespace="default",upgrade="v6.8"} 15300
sei_chain_upgrade_time_seconds{chain="pacific-1",namespace="default",upgrade="v6.8"} %d
sei_node_height{namespace="default",name="val"} 899
sei_node_lag_blocks{namespace="default",name="val"} 1
sei_snd_last_snapshot_seconds{namespace="default",name="rpc"} %d
`, time.Now().Add(2*time.Hour+30*time.Second).Unix(), time.Now().Add(-3*time.Hour-90*time.Second).Unix())
		},
		"/seinodedeployments": answer(`{"items":[{"kind":"SeiNodeDeployment","metadata":{"name":"rpc","namespace":"default","generation":1},
			"spec":{"replicas":5,"template":{"spec":{"chainId":"pacific-1","image":"ghcr.io/sei:v6.7.5"}}},
			"status":{"observedGeneration":1,"readyReplicas":1,"updatedReplicas":3,"rollout":{"targetHash":"x"},
			"upgrades":[{"name":"v6.8","height":1000,"reached":"0/5"}],
			"conditions":[{"type":"Ready","status":"True"},{"type":"UpToDate","status":"False","reason":"RollingOut"},
				{"type":"UpgradesReady","status":"False","reason":"ImagePull","message":"not pulled"}]}}]}`),
		"/seinodes": answer(`{"items":[` + strings.Join([]string{
			node("rpc-0", "rpc", pulled, ready), node("rpc-1", "rpc", "", stalled), node("rpc-2", "rpc", "", stalled),
			node("rpc-3", "rpc", "", stalled), node("rpc-4", "rpc", "", stalled), node("val", "", "", ready),
			strings.ReplaceAll(node("odd; rm -rf", "", `"phase":"Failed",`, ready), "pacific-1", "x"+hostile),
		}, ",") + `]}`),
	})
}

func TestTopShowsChainsFleetsAndProblemsOnOneScreen(t *testing.T) {
	code, out, errOut := sei(t, topServer(t), "top")
	for _, line := range []string{
		"pacific-1          900     2.0 blocks/s  v6.8 at 15300 in 2 h 0 min  2/6\n",
		"rpc    1/5    v6.7.5  [######----] 3/5  v6.8 1/5 prepared, ImagePull  3 h 1 min ago\n",
		"val          True   v6.7.5  899     1    -\n",
		"odd; rm -rf  True   v6.7.5  -       -    Failed\n",
		"DiskFull  default/snode/rpc-1, default/snode/rpc-2, default/snode/rpc-3 and 1 more: no room",
		"\n    kubectl sei runbook DiskFull snode/rpc-1 -n default\n",
		"\n    kubectl sei runbook SeiUpgradeImagePull snd/rpc -n default\n",
		"Failed  default/snode/odd; rm -rf: its plan failed",
	} {
		if code != exitDone || !strings.Contains(out, line) {
			t.Errorf("ends with %d, %q, without %q:\n%s", code, errOut, line, out)
		}
	}
	if strings.Contains(out, "5000") {
		t.Errorf("a chain has the height that another namespace reports:\n%s", out)
	}
	if worst := strings.Index(out, "\nDiskFull"); worst < 0 || worst > strings.Index(out, "ImagePull  default") {
		t.Errorf("the worst is not first:\n%s", out)
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(strings.TrimSpace(line), "kubectl") && strings.ContainsAny(line, ";") {
			t.Errorf("a name gets into a command: %s", line)
		}
	}
}

// TestNoDataControlsATerminal looks for sequences but those of paint, and for lines that data forged.
func TestNoDataControlsATerminal(t *testing.T) {
	server := topServer(t)
	for _, command := range [][]string{{"top"}, {"top", "-A"}, {"why"}, {"status", "-o", "yaml"}} {
		if command[0] != "status" {
			command = append(command, "--color=always")
		}
		_, out, _ := sei(t, server, command...)
		plain := out
		if command[0] == "top" {
			if plain = rendition.ReplaceAllString(out, ""); plain == out {
				t.Errorf("%q has no colors", command)
			}
		}
		plain = rendition.ReplaceAllString(plain, "")
		if i := strings.IndexFunc(plain, isUnprintable); i >= 0 {
			t.Errorf("%q prints %q", command, plain[i:])
		}
		if command[0] != "status" && strings.Contains(plain, "\nforged") {
			t.Errorf("%q prints a line of a message as its own:\n%s", command, plain)
		}
		for _, sequence := range rendition.FindAllString(out, -1) {
			switch sequence {
			case "\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[33m":
			default:
				t.Errorf("%q prints %q", command, sequence)
			}
		}
		if opened, closed := strings.Count(out, "\x1b["), strings.Count(out, "\x1b[0m"); opened != 2*closed {
			t.Errorf("%q leaves a color on: %d sequences, %d ends", command, opened, closed)
		}
	}
}

func TestWhatIsNotReadyIsRed(t *testing.T) {
	const table = `{"kind":"Table","columnDefinitions":[{"name":"Name"},{"name":"Ready"}],"rows":[
		{"cells":["a","%s"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"a"}}},
		{"cells":["b","%s"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"b"}}}]}`
	of := func(well, unwell string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.Header.Get("Accept"), "as=Table") {
				fmt.Fprintf(w, table, well, unwell)
				return
			}
			fmt.Fprint(w, `{"items":[]}`)
		}
	}
	server := serve(t, map[string]http.HandlerFunc{
		"/seinodes": of("True", "False"), "/seinodedeployments": of("3/3", "1/3"),
		"/seinodes/n": answer(`{"kind":"SeiNode","metadata":{"name":"n","generation":1},"status":{"observedGeneration":1,"conditions":[
			{"type":"Ready","status":"False","reason":"DiskFull"},{"type":"UpToDate","status":"True","reason":"Current"},
			{"type":"SidecarReady","status":"Unknown","reason":"Unreachable"}]}}`),
	})
	_, out, _ := sei(t, server, "status", "--color=always")
	for _, line := range []string{"\x1b[31mb      False\x1b[0m\n", "\x1b[31mb      1/3\x1b[0m\n"} {
		if !strings.Contains(out, line) || strings.Count(out, "\x1b[31m") != 2 {
			t.Errorf("prints %q, without %q", out, line)
		}
	}
	_, out, _ = sei(t, server, "status", "snode/n", "--color=always")
	for _, reason := range []string{"\x1b[31mDiskFull\x1b[0m\n", " Current\n", "\x1b[33mUnreachable\x1b[0m\n"} {
		if !strings.Contains(out, reason) {
			t.Errorf("prints %q, without %q", out, reason)
		}
	}
}

func TestColorsAreForTerminals(t *testing.T) {
	for _, test := range []struct {
		flag       string
		isTerminal bool
		noColor    string
		term       string
		want       bool
	}{
		{"auto", true, "", "xterm", true},
		{"auto", false, "", "xterm", false},
		{"auto", true, "1", "xterm", false},
		{"auto", true, "", "dumb", false},
		{"always", false, "1", "dumb", true},
		{"never", true, "", "xterm", false},
	} {
		t.Setenv("NO_COLOR", test.noColor)
		t.Setenv("TERM", test.term)
		if got := usesColor(test.flag, test.isTerminal); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
	server := topServer(t)
	if _, out, _ := sei(t, server, "top"); strings.Contains(out, "\x1b") {
		t.Errorf("a pipe gets colors: %q", out)
	}
	for _, command := range [][]string{{"top", "--color=red"}, {"why", "-w", "-o", "json"}, {"top", "x"}, {"plan", "x", "-w"}} {
		if code, _, errOut := sei(t, server, command...); code != exitUsage {
			t.Errorf("%q ends with %d and %s", command, code, errOut)
		}
	}
}

// untilScreens fails after some screens, which ends a command that would go on for ever.
type untilScreens struct {
	bytes.Buffer
	left int
}

func (w *untilScreens) Write(data []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, errors.New("closed")
	}
	return w.Buffer.Write(data)
}

func TestAScreenIsShownAgainAlsoAfterARequestThatFailed(t *testing.T) {
	before := refreshPeriod
	refreshPeriod = time.Millisecond
	t.Cleanup(func() { refreshPeriod = before })
	t.Setenv("KUBECONFIG", "/dev/null")
	for _, command := range []string{"top", "why", "status"} {
		asked := 0
		server := serve(t, map[string]http.HandlerFunc{
			"/seinodedeployments": func(w http.ResponseWriter, _ *http.Request) {
				if asked++; asked == 2 {
					http.Error(w, "no leader", http.StatusForbidden)
					return
				}
				fmt.Fprint(w, `{"kind":"Table","columnDefinitions":[{"name":"Name"}],"items":[]}`)
			},
			"/seinodes": answer(`{"kind":"Table","columnDefinitions":[{"name":"Name"}],"rows":[],"items":[{"kind":"SeiNode",
				"metadata":{"name":"n","namespace":"default"},"spec":{"image":5}}]}`),
		})
		out := &untilScreens{left: 7}
		run("kubectl-sei", []string{command, "-w", "--server=" + server}, genericiooptions.IOStreams{Out: printable(out), ErrOut: io.Discard})
		if asked < 3 || !strings.Contains(out.String(), "no leader") {
			t.Errorf("%s -w asks %d times and prints %q", command, asked, out.String())
		}
		// What goes to the standard error would be cleared with the screen.
		if warned := strings.Count(out.String(), "spec.image is a number"); warned < 2 {
			t.Errorf("%s -w warns %d times: %q", command, warned, out.String())
		}
	}
}

func TestAScreenFitsItsTerminal(t *testing.T) {
	const screen = "\x1b[31m1234\x1b[0m\n12345678\nx\ny\n"
	for _, test := range []struct {
		columns, rows int
		want          string
	}{
		{80, 24, screen},
		{0, 0, screen},
		{4, 6, screen},
		{4, 5, "\x1b[31m1234\x1b[0m\n12345678\n... 2 more lines\n"},
		{4, 3, "\x1b[31m1234\x1b[0m\n... 3 more lines\n"},
	} {
		if got := fitted(screen, test.columns, test.rows); got != test.want {
			t.Errorf("%d x %d: %q, not %q", test.columns, test.rows, got, test.want)
		}
	}
}

func TestARateIsThatOfTheScreensOrOfThePlan(t *testing.T) {
	key, now := chainKey{"a", "c"}, time.Unix(1_800_000_000, 0)
	planned := &chainState{height: 100, upgradeHeight: 400, upgradeTime: float64(now.Unix() + 100)}
	seen := rates{}
	if got := seen.of(key, planned, now); got != 3 {
		t.Errorf("a plan implies %f", got)
	}
	for second, height := range []int64{100, 102, 104} {
		of := measurements{chains: map[chainKey]*chainState{key: {height: height}}}
		seen.note(of, now.Add(time.Duration(second)*time.Second))
	}
	if got := seen.of(key, planned, now); got != 2 {
		t.Errorf("screens imply %f", got)
	}
	seen.note(measurements{chains: map[chainKey]*chainState{key: {height: 104}}}, now.Add(time.Hour))
	if len(seen[key]) != 1 {
		t.Errorf("%d heights are kept", len(seen[key]))
	}
}

func TestATableThatIsCutKeepsWhatIsNotInOrder(t *testing.T) {
	var table grid
	table.add(headings("NAME")...)
	for i := range 6 {
		cell := span{text: fmt.Sprint("n", i)}
		if i == 5 {
			cell.in = red
		}
		table.add(cell)
	}
	var out strings.Builder
	table.fit(3).print(&out)
	if out.String() != "NAME\nn5\nn0\n... 4 more\n" {
		t.Errorf("prints %q", out.String())
	}
}

func TestALongMessageHidesNoOtherProblem(t *testing.T) {
	node := func(name, reason, message string) string {
		return fmt.Sprintf(`{"kind":"SeiNode","metadata":{"name":%q,"namespace":"default","generation":1},"status":{"observedGeneration":1,
			"conditions":[{"type":"Ready","status":"False","reason":%q},{"type":"Stalled","status":"True","reason":%q,"message":%q}]}}`,
			name, reason, reason, message)
	}
	server := serve(t, map[string]http.HandlerFunc{
		"/seinodedeployments": answer(`{"items":[]}`),
		"/seinodes":           answer(`{"items":[` + node("a", "CrashLoop", strings.Repeat("x", 32_000)) + "," + node("b", "DiskFull", "no room") + `]}`),
	})
	_, out, _ := sei(t, server, "top")
	if screen := fitted(out, 80, 24); !strings.Contains(screen, "default/snode/b: no room") {
		t.Errorf("shows %s", screen)
	}
}

func TestAScreenFitsWithWideCharactersAndTabs(t *testing.T) {
	for _, wide := range []string{strings.Repeat("\u6f22", 10), strings.Repeat("\t", 2)} {
		if got := fitted("a\n"+wide+"\nb\n", 10, 4); got != "a\n... 2 more lines\n" {
			t.Errorf("%q is fitted to %q", wide, got)
		}
	}
}
