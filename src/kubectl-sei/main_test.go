package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// sei runs a command line against a server, with a kubeconfig that is empty.
func sei(t *testing.T, server string, args ...string) (code int, out, errOut string) {
	t.Helper()
	t.Setenv("KUBECONFIG", "/dev/null")
	var stdout, stderr bytes.Buffer
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: printable(&stdout), ErrOut: printable(&stderr)}
	code = run("kubectl-sei", append(args, "--server="+server), streams)
	return code, stdout.String(), stderr.String()
}

func TestTenThousandNodesAreReadInPages(t *testing.T) {
	const count = 10_000
	pages := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/seinodedeployments"):
			fmt.Fprint(w, `{"items":[]}`)
		case strings.HasSuffix(r.URL.Path, "/seinodes"):
			pages++
			servePage(t, w, r, count)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()

	code, out, errOut := sei(t, server.URL, "why", "-A")

	if code != exitNo {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	if lines := strings.Count(out, "\n"); lines != 1 {
		t.Errorf("nodes with the same problem share a line, but there are %d", lines)
	}
	if named := strings.Count(out, "snode/"); named != count {
		t.Errorf("%d nodes are named, not %d", named, count)
	}
	if wanted := count / 500; pages != wanted {
		t.Errorf("%d pages were read, not %d", pages, wanted)
	}
}

func servePage(t *testing.T, w http.ResponseWriter, r *http.Request, count int) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		t.Errorf("%s has no limit", r.URL)
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
	next := ""
	if from+limit < count {
		next = strconv.Itoa(from + limit)
	}
	var items []string
	for i := from; i < min(count, from+limit); i++ {
		items = append(items, fmt.Sprintf(`{"kind":"SeiNode","metadata":{"name":"n-%d","namespace":"sei","generation":1},
			"status":{"observedGeneration":1,"conditions":[
			{"type":"Ready","status":"True","reason":"Ready"},
			{"type":"Stalled","status":"True","reason":"DiskFull","message":"the volume is full"}]}}`, i))
	}
	fmt.Fprintf(w, `{"metadata":{"continue":%q},"items":[%s]}`, next, strings.Join(items, ","))
}

func TestAnAPIServerThatIsAwayIsNoAnswer(t *testing.T) {
	for _, command := range [][]string{{"why"}, {"wait", "x"}, {"preflight"}} {
		if code, out, errOut := sei(t, "http://127.0.0.1:1", command...); code != exitUnanswered || errOut == "" {
			t.Errorf("%v ends with %d, %q and %q", command, code, out, errOut)
		}
	}
	if code, _, _ := sei(t, "http://127.0.0.1:1", "status"); code != exitNo {
		t.Errorf("status ends with %d", code)
	}
}

func TestUnprintableCharactersAreDroppedFromTextAndEscapedInJSON(t *testing.T) {
	hostile := "a\x1b[2Jb\x07c\x7fd\u009b31me\u202ef\u2066g\u061c\u2028\u2029\thé 🚀\n"
	var out bytes.Buffer
	writer := printable(&out)
	// A character may come in two parts.
	for _, char := range []byte(hostile) {
		if _, err := writer.Write([]byte{char}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := out.String(), "a[2Jbcd31mefg\thé 🚀\n"; got != want {
		t.Errorf("printed %q, not %q", got, want)
	}

	encoded, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	var decoded string
	if err := json.Unmarshal([]byte(escapeUnprintable(string(encoded))), &decoded); err != nil || decoded != hostile {
		t.Errorf("JSON has %q: %v", decoded, err)
	}
}

func TestLabelsOfMetricsAreUnescaped(t *testing.T) {
	sample, isSample := parseMetric(`sei_chain_upgrade_time_seconds{chain="a",upgrade="v\"9 \\ }4"} 1.5E9`)
	if !isSample || sample.labels["upgrade"] != `v"9 \ }4` || sample.labels["chain"] != "a" || sample.value != 1.5e9 {
		t.Errorf("read %v", sample)
	}
	for _, line := range []string{"# HELP x y", "x 1", `x{a="b} 1`, ""} {
		if sample, isSample := parseMetric(line); isSample {
			t.Errorf("%q is read as %v", line, sample)
		}
	}
}
