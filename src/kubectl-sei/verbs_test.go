package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// patchServer stores objects by the end of their path, and applies the patches that it is sent.
type patchServer struct {
	mutex   sync.Mutex
	objects map[string]string
	// patches are those that were applied, with their paths and queries.
	patches []string
	// refuse answers 422 to a path that contains it.
	refuse string
}

func (s *patchServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for path, object := range s.objects {
		if !strings.HasSuffix(r.URL.Path, path) {
			continue
		}
		if r.Method == http.MethodPatch {
			body, _ := io.ReadAll(r.Body)
			s.patches = append(s.patches, fmt.Sprintf("%s %s", path, body))
			patched, err := patchedOf(r.Header.Get("Content-Type"), []byte(object), body)
			if err != nil || s.refuse != "" && strings.Contains(path, s.refuse) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusUnprocessableEntity)
				fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422,"message":"refused"}`)
				return
			}
			if object = string(patched); r.URL.Query().Get("dryRun") == "" {
				s.objects[path] = object
			}
		}
		fmt.Fprint(w, object)
		return
	}
	notFound(w, r)
}

func patchedOf(contentType string, object, patch []byte) ([]byte, error) {
	if contentType == "application/merge-patch+json" {
		return jsonpatch.MergePatch(object, patch)
	}
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	return operations.Apply(object)
}

func newPatchServer(t *testing.T) (*patchServer, string) {
	t.Helper()
	s := &patchServer{objects: map[string]string{
		"/seinodes/n": `{"kind":"SeiNode","metadata":{"name":"n","namespace":"default","generation":7,"managedFields":[{}]},
			"spec":{"image":"sei:a","upgrades":[{"name":"v6.7","height":5,"image":"sei:b"}],
				"dataVolume":{"storage":{"resources":{"requests":{"storage":"2Ti"}}}}},
			"status":{"dataReset":{"generation":3}}}`,
		"/seinodes/m": `{"kind":"SeiNode","metadata":{"name":"m","namespace":"default","generation":1},"spec":{"image":"sei:a"}}`,
		"/seinodes/f-0": `{"kind":"SeiNode","metadata":{"name":"f-0","namespace":"default","generation":1,
			"labels":{"sei.io/nodedeployment":"f"}},"spec":{"image":"sei:a"}}`,
		"/seinodedeployments/f": `{"kind":"SeiNodeDeployment","metadata":{"name":"f","namespace":"default","generation":2},
			"spec":{"replicas":1,"template":{"spec":{"image":"sei:a"}}}}`,
		"/persistentvolumeclaims": `{"items":[{"metadata":{"name":"data-n","namespace":"default","labels":{"sei.io/node":"n"}},
			"status":{"capacity":{"storage":"3Ti"}}},{"metadata":{"name":"data-f-0","labels":{"sei.io/node":"f-0"}},
			"status":{"capacity":{"storage":"1Ti"}}}]}`,
		"/seinodes": `{"items":[{"metadata":{"name":"f-0"}}]}`,
	}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

func TestVerbsWriteTheFieldThatPagesDocument(t *testing.T) {
	const listed = `[{"op":"test","path":"/metadata/generation","value":`
	for command, want := range map[string]struct{ patch, out string }{
		"hold snode/n":              {`{"spec":{"maintenance":{"hold":"Immediate"}}}`, "seinode.sei.io/n hold requested\n"},
		"hold f-0":                  {`{"spec":{"maintenance":{"hold":"Immediate"}}}`, "seinode.sei.io/f-0 hold requested\n"},
		"hold snode/n --after-exit": {`{"spec":{"maintenance":{"hold":"AfterExit"}}}`, "seinode.sei.io/n hold requested\n"},
		"release snode/n":           {`{"spec":{"maintenance":null}}`, "seinode.sei.io/n released (no change)\n"},
		"pause n --stop":            {`{"spec":{"paused":true}}`, "seinode.sei.io/n patched\n"},
		"set-image snode/n sei:b":   {`{"spec":{"image":"sei:b"}}`, "seinode.sei.io/n image updated\n"},
		"set-image snode/n sei:a":   {`{"spec":{"image":"sei:a"}}`, "seinode.sei.io/n image updated (no change)\n"},
		"set-image f host:5000/sei@sha256:ab": {`{"spec":{"template":{"spec":{"image":"host:5000/sei@sha256:ab"}}}}`,
			"seinodedeployment.sei.io/f image updated\n"},
		"grow n 4Ti": {`{"spec":{"dataVolume":{"storage":{"resources":{"requests":{"storage":"4Ti"}}}}}}`,
			"seinode.sei.io/n grows to 4Ti\n"},
		"grow snd/f 2Ti": {`{"spec":{"template":{"spec":{"dataVolume":{"storage":{"resources":{"requests":{"storage":"2Ti"}}}}}}}}`,
			"seinodedeployment.sei.io/f grows to 2Ti\n"},
		"reset-data m --yes": {listed + `1},{"op":"add","path":"/spec/dataResetGeneration","value":1}]`,
			"seinode.sei.io/m reset requested, dataResetGeneration 1\n"},
		"reset-data n --yes": {listed + `7},{"op":"add","path":"/spec/dataResetGeneration","value":4}]`,
			"seinode.sei.io/n reset requested, dataResetGeneration 4\n"},
		"upgrades add n --upgrade=v6.8 --height=9 --image=sei:c": {
			listed + `7},{"op":"add","path":"/spec/upgrades/-","value":{"name":"v6.8","height":9,"image":"sei:c"}}]`,
			"seinode.sei.io/n lists v6.8\n"},
		"upgrades add f --upgrade=v6.8 --height=9 --image=sei:c --early": {
			listed + `2},{"op":"add","path":"/spec/template/spec/upgrades","value":[{"name":"v6.8","height":9,"image":"sei:c","early":true}]}]`,
			"seinodedeployment.sei.io/f lists v6.8\n"},
		"upgrades add n --upgrade=v6.7 --height=5 --image=sei:d --replace": {
			listed + `7},{"op":"replace","path":"/spec/upgrades/0","value":{"name":"v6.7","height":5,"image":"sei:d"}}]`,
			"seinode.sei.io/n lists v6.7\n"},
		"upgrades add n --upgrade=v6.7 --height=5 --image=sei:b": {
			listed + `7},{"op":"replace","path":"/spec/upgrades/0","value":{"name":"v6.7","height":5,"image":"sei:b"}}]`,
			"seinode.sei.io/n lists v6.7 (no change)\n"},
	} {
		s, url := newPatchServer(t)
		code, out, errOut := sei(t, url, strings.Fields(command)...)
		if code != exitDone || out != want.out || len(s.patches) != 1 || !strings.HasSuffix(s.patches[0], " "+want.patch) {
			t.Errorf("%s ends with %d, %q, %q and patches %q", command, code, out, errOut, s.patches)
		}
	}
}

func TestAnAnnotationAsksForARetry(t *testing.T) {
	for _, name := range []string{"snode/f-0", "snd/f"} {
		s, url := newPatchServer(t)
		for range 2 {
			if code, out, errOut := sei(t, url, "retry", name); code != exitDone || strings.Contains(out, "no change") {
				t.Errorf("ends with %d, %q and %q", code, out, errOut)
			}
		}
		if len(s.patches) != 2 || s.patches[0] == s.patches[1] || !strings.Contains(s.patches[0], `"sei.io/retry":"20`) {
			t.Errorf("patches %q", s.patches)
		}
	}
}

func TestARefusalNamesTheFieldAndTheRemedyAndChangesNothing(t *testing.T) {
	for command, want := range map[string]struct {
		code int
		told string
	}{
		"hold snd/f":                {exitNo, "spec.maintenance belongs to one node: name nodes of snd/f, such as snode/f-0"},
		"release f":                 {exitNo, "name nodes of snd/f"},
		"reset-data f --yes":        {exitNo, "spec.dataResetGeneration belongs to one node"},
		"reset-data n":              {exitUsage, "add --yes to confirm"},
		"set-image snode/f-0 sei:b": {exitNo, "snode/f-0 belongs to a fleet, whose template sets spec.image: name snd/f"},
		"grow f-0 4Ti":              {exitNo, "spec.dataVolume.storage: name snd/f"},
		"grow n 1Ti":                {exitNo, "spec.dataVolume.storage.resources.requests.storage of snode/n is 2Ti: a volume cannot shrink to 1Ti"},
		"grow n 3Ti":                {exitNo, "the volumes of snode/n have 3Ti already"},
		"grow snd/f 1024Gi":         {exitNo, "the volumes of snd/f have 1Ti already"},
		"grow n":                    {exitUsage, "grow needs a name and a size, such as 4Ti"},
		"grow n m":                  {exitUsage, "must be a size, such as 4Ti, not 'm'"},
		"grow n 0":                  {exitUsage, "must be a size"},
		"grow n -4Ti":               {exitUsage, "there is no flag '-4'"},
		"set-image n snode/m":       {exitUsage, "must be an image with a tag or a digest"},
		"set-image n host:5000/sei": {exitUsage, "must be an image with a tag or a digest"},
		"upgrades add n":            {exitUsage, "upgrades add needs --upgrade; see kubectl sei upgrades add --help"},
		"upgrades add":              {exitUsage, "upgrades add needs a name"},
		"upgrades add n --upgrade=a --height=x --image=sei:b": {exitUsage, "--height must be a number, not 'x'"},
		"upgrades add n --upgrade=v6.7 --height=6 --image=sei:c": {exitNo,
			"spec.upgrades of snode/n lists v6.7 already, at height 5 with image sei:b; add --replace to change that"},
		"upgrades add f-0 --upgrade=v6.7 --height=6 --image=sei:c": {exitNo, "whose template sets spec.upgrades: name snd/f"},
		"retry gone":                       {exitNo, "there is no fleet and no node 'gone'"},
		"retry n gone":                     {exitNo, "nothing was changed"},
		"retry snt/n":                      {exitUsage, "'snt' is neither snd nor snode"},
		"pause m n":                        {exitUsage, "nothing was changed"},
		"hold n -o wide":                   {exitUsage, "-o takes json, yaml or name, not 'wide'"},
		"hold n --dry-run=none":            {exitUsage, "--dry-run=none is not known"},
		"runbook NoSuchReason":             {exitUsage, "there is no runbook 'NoSuchReason'; kubectl sei runbook lists them"},
		"runbook DiskFull n m":             {exitUsage, "only a reason and a name are allowed"},
		"runbook DiskFull snode/not-there": {exitNo, "not found"},
	} {
		s, url := newPatchServer(t)
		code, out, errOut := sei(t, url, strings.Fields(command)...)
		if code != want.code || !strings.Contains(errOut, want.told) || out != "" || len(s.patches) > 0 {
			t.Errorf("%s ends with %d, %q, %q and patches %q", command, code, out, errOut, s.patches)
		}
	}
}

// TestAResetIsNotCountedFromAStatusThatCannotBeRead has a status whose last reset is unknown: one more than what the spec
// says may have been acted on, and would reset nothing.
func TestAResetIsNotCountedFromAStatusThatCannotBeRead(t *testing.T) {
	for _, status := range []string{`{"dataReset":"x"}`, `{"dataReset":{"generation":"3"}}`, `[]`} {
		s, url := newPatchServer(t)
		s.objects["/seinodes/m"] = `{"kind":"SeiNode","metadata":{"name":"m","namespace":"default","generation":1},"spec":{},"status":` + status + `}`
		code, out, errOut := sei(t, url, "reset-data", "snode/m", "--yes")
		if code != exitNo || !strings.Contains(errOut, "status.dataReset.generation of snode/m") || len(s.patches) > 0 {
			t.Errorf("with %s it ends with %d, %q, %q and patches %q", status, code, out, errOut, s.patches)
		}
	}
}

func TestSeveralNamesAreChangedOnceEach(t *testing.T) {
	s, url := newPatchServer(t)

	code, out, _ := sei(t, url, "reset-data", "n", "m", "snode/n", "--yes")
	if code != exitDone || strings.Count(out, "\n") != 2 || len(s.patches) != 2 {
		t.Errorf("ends with %d, %q and patches %q", code, out, s.patches)
	}

	s.refuse = "/seinodes/n"
	code, out, errOut := sei(t, url, "hold", "n", "m")
	if code != exitNo || out != "seinode.sei.io/m hold requested\n" ||
		!strings.Contains(errOut, "kubectl-sei: snode/n: refused\nkubectl-sei: 1 of 2 were changed\n") {
		t.Errorf("ends with %d, %q and %q", code, out, errOut)
	}
}

func TestADryRunChangesNothing(t *testing.T) {
	for _, test := range []struct{ how, note, patches string }{{"server", "(server dry run)", "1"}, {"client", "(dry run)", "0"}} {
		s, url := newPatchServer(t)
		before := s.objects["/seinodes/n"]
		for _, command := range []string{
			"hold n", "grow n 4Ti", "set-image n sei:z", "reset-data n", "retry n", "pause n --stop", "restart n",
			"upgrades add n --upgrade=v6.8 --height=9 --image=sei:c",
		} {
			s.patches = nil
			code, out, errOut := sei(t, url, append(strings.Fields(command), "--dry-run="+test.how)...)
			if code != exitDone || !strings.HasSuffix(out, " "+test.note+"\n") || strings.Contains(out, "no change") {
				t.Errorf("%s ends with %d, %q and %q", command, code, out, errOut)
			}
			if fmt.Sprint(len(s.patches)) != test.patches || s.objects["/seinodes/n"] != before {
				t.Errorf("%s --dry-run=%s sends %q", command, test.how, s.patches)
			}
		}
	}
}

func TestAVerbPrintsWhatItChanged(t *testing.T) {
	for _, dryRun := range []string{"server", "client"} {
		_, url := newPatchServer(t)
		_, out, _ := sei(t, url, "set-image", "n", "sei:b", "-o", "json", "--dry-run="+dryRun)
		var changed struct {
			Metadata map[string]any
			Spec     struct{ Image string }
		}
		if err := json.Unmarshal([]byte(out), &changed); err != nil || changed.Spec.Image != "sei:b" || changed.Metadata["managedFields"] != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
	_, url := newPatchServer(t)
	if _, out, _ := sei(t, url, "hold", "n", "m", "-o", "name"); out != "seinode.sei.io/n\nseinode.sei.io/m\n" {
		t.Errorf("prints %q", out)
	}
	if _, out, _ := sei(t, url, "release", "n", "m", "-o", "yaml"); strings.Count(out, "---\n") != 1 || strings.Count(out, "name: ") < 2 {
		t.Errorf("prints %q", out)
	}
}

// TestAnEditInTheMeantimeIsNotLost has another user edit the spec after it was read.
func TestAnEditInTheMeantimeIsNotLost(t *testing.T) {
	for _, command := range []string{"reset-data snode/n --yes", "upgrades add snode/n --upgrade=v6.8 --height=9 --image=sei:c"} {
		s, _ := newPatchServer(t)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.ServeHTTP(w, r)
			s.objects["/seinodes/n"] = strings.Replace(s.objects["/seinodes/n"], `"generation":7`, `"generation":8`, 1)
		}))
		code, _, errOut := sei(t, server.URL, strings.Fields(command)...)
		server.Close()
		if code != exitNo || !strings.Contains(errOut, "nothing was changed; if the spec was edited in the meantime") {
			t.Errorf("%s ends with %d and %q", command, code, errOut)
		}
	}
}

func TestARunbookIsPrintedWithTheNamesOfItsObject(t *testing.T) {
	_, url := newPatchServer(t)
	_, listed, _ := sei(t, url, "runbook")
	for _, reason := range facts.Runbooks {
		if code, out, errOut := sei(t, url, "runbook", reason); code != exitDone || !strings.HasPrefix(out, "# ") ||
			!strings.Contains(listed, reason+"\n") {
			t.Errorf("%s ends with %d, %q and %q", reason, code, out, errOut)
		}
	}
	for _, reason := range []string{"DiskFull", "diskfull", "SeiVolumeFilling"} {
		if code, out, _ := sei(t, url, "runbook", reason, "f-0", "-n", "prod"); code != exitDone ||
			!strings.Contains(out, "kubectl sei why f-0 -n prod\n") || strings.Contains(out, "FLEET") || strings.Contains(out, "NODE") {
			t.Errorf("%s ends with %d and %q", reason, code, out)
		}
	}
	if _, out, _ := sei(t, url, "runbook", "DiskFull", "snode/n"); !strings.Contains(out, "snd/FLEET") {
		t.Errorf("a node without a fleet has one: %s", out)
	}
	if strings.Contains(listed, "README") {
		t.Error("the index is listed")
	}
}

func TestArchivesOfOneSecondHaveDifferentNames(t *testing.T) {
	t.Chdir(t.TempDir())
	var names []string
	for range 3 {
		archive, err := newArchive("sei-support-T")
		if err != nil {
			t.Fatal(err)
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		names = append(names, archive.name)
	}
	if expected := []string{"sei-support-T", "sei-support-T-2", "sei-support-T-3"}; !slices.Equal(names, expected) {
		t.Errorf("archives are called %v, expected %v", names, expected)
	}
}
