package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// releaseList is what is known of releases of seid, the oldest first.
type releaseList struct {
	Releases []release `json:"releases"`
	Images   []ban     `json:"images"`
}

type release struct {
	Version        string           `json:"version"`
	Released       string           `json:"released"`
	Source         string           `json:"source"`
	Plan           string           `json:"plan"`
	Heights        map[string]int64 `json:"heights"`
	Ports          []portChange     `json:"ports"`
	Settings       []settingChange  `json:"settings"`
	MinimumSidecar string           `json:"minimumSidecar"`
	Migrations     []storeMigration `json:"migrations"`
	Freeze         string           `json:"freeze"`
	StateSync      string           `json:"stateSync"`
	Notes          []string         `json:"notes"`
}

type portChange struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Change string `json:"change"`
	Note   string `json:"note"`
}

type settingChange struct {
	In     string `json:"in"`
	Name   string `json:"name"`
	Change string `json:"change"`
	Value  string `json:"value"`
	Note   string `json:"note"`
}

type storeMigration struct {
	Name     string `json:"name"`
	Begins   string `json:"begins"`
	Duration string `json:"duration"`
	Disk     string `json:"disk"`
	Note     string `json:"note"`
}

// ban is of images that no node, or no validator, may run.
type ban struct {
	Tag    string `json:"tag"`
	Nodes  string `json:"nodes"`
	Why    string `json:"why"`
	Source string `json:"source"`
}

// --- The list ---------------------------------------------------------------------------------------------

const (
	releasesKey     = "releases.yaml"
	releasesSetting = "SEI_RELEASES_CONFIG_MAP"
	releasesDefault = "sei-releases"
)

// releases returns what the operator knows of releases: the list that both are built with, and the ConfigMap that
// extends it, where this user may read that.
func (p *plugin) releases(c *cluster) releaseList {
	known := facts.Releases
	for _, operator := range c.operators(p.allNamespaces) {
		var stored struct {
			Data map[string]string `json:"data"`
		}
		name := c.releasesConfigMap(operator)
		if err := c.get(configMaps, operator.namespace, name, &stored); err != nil {
			continue
		}
		var more releaseList
		if err := yaml.UnmarshalStrict([]byte(stored.Data[releasesKey]), &more); err != nil {
			fmt.Fprintf(p.ErrOut, "kubectl-sei: ConfigMap %s in %s is no list of releases of seid: %s\n", name, operator.namespace, oneLine(err.Error()))
			continue
		}
		known = known.with(more)
	}
	return known
}

// releasesConfigMap returns the name of the ConfigMap that an operator reads.
func (c *cluster) releasesConfigMap(of operator) string {
	found, err := c.deploymentsOf(of)
	if err != nil {
		return releasesDefault
	}
	for _, d := range found {
		for _, container := range d.Spec.Template.Spec.Containers {
			for _, variable := range container.Env {
				if variable.Name == releasesSetting && variable.Value != "" {
					return variable.Value
				}
			}
		}
	}
	return releasesDefault
}

// with returns the list with the entries of another one, which replace those of the same version or tag.
func (l releaseList) with(other releaseList) releaseList {
	var merged releaseList
	for _, r := range l.Releases {
		if !slices.ContainsFunc(other.Releases, func(o release) bool { return o.Version == r.Version }) {
			merged.Releases = append(merged.Releases, r)
		}
	}
	merged.Releases = append(merged.Releases, other.Releases...)
	slices.SortFunc(merged.Releases, func(a, b release) int { return a.number().compare(b.number()) })
	for _, b := range l.Images {
		if !slices.ContainsFunc(other.Images, func(o ban) bool { return o.Tag == b.Tag }) {
			merged.Images = append(merged.Images, b)
		}
	}
	merged.Images = append(merged.Images, other.Images...)
	return merged
}

// --- Versions ---------------------------------------------------------------------------------------------

// seidVersion is a version without what follows its number: a release candidate has what its release has.
type seidVersion [3]int

var versionPattern = regexp.MustCompile(`^v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})(?:[-+][0-9A-Za-z.+_-]{1,64})?$`)

func parseVersion(text string) (seidVersion, bool) {
	parts := versionPattern.FindStringSubmatch(text)
	if parts == nil {
		return seidVersion{}, false
	}
	var version seidVersion
	for i := range version {
		version[i], _ = strconv.Atoi(parts[i+1])
	}
	return version, true
}

// number returns the version of a release; the operator uses no list with one that is none.
func (r release) number() seidVersion {
	version, _ := parseVersion(r.Version)
	return version
}

func (v seidVersion) compare(other seidVersion) int { return slices.Compare(v[:], other[:]) }

func (v seidVersion) String() string { return fmt.Sprintf("v%d.%d.%d", v[0], v[1], v[2]) }

// imageTag returns the tag of an image, or nothing.
func imageTag(image string) string {
	image, _, _ = strings.Cut(image, "@")
	_, tag, _ := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	return tag
}

// knows reports whether a version is a release of the list, or a later patch of one.
func (l releaseList) knows(version seidVersion) bool {
	return slices.ContainsFunc(l.Releases, func(r release) bool {
		known := r.number()
		return known[0] == version[0] && known[1] == version[1] && known[2] <= version[2]
	})
}

// --- Advice -----------------------------------------------------------------------------------------------

// nodeSpec is what advice about releases depends on.
type nodeSpec struct {
	Image     string         `json:"image"`
	Upgrades  []upgradeImage `json:"upgrades"`
	Validator *struct{}      `json:"validator"`
	FullNode  *frozen        `json:"fullNode"`
	Archive   *frozen        `json:"archive"`
}

type upgradeImage struct {
	Name  string `json:"name"`
	Image string `json:"image"`
}

type frozen struct {
	Freeze *struct{} `json:"freeze"`
}

func (s nodeSpec) freezes() bool {
	return s.FullNode != nil && s.FullNode.Freeze != nil || s.Archive != nil && s.Archive.Freeze != nil
}

// advice returns what is known of a change from one image to another: what must not run, and what each release between
// the two changes. Of versions that are not in the list it knows nothing, and says so.
func (l releaseList) advice(from, to string, of nodeSpec) []string {
	var lines []string
	if ban := l.banOf(to, of.Validator != nil); ban != nil {
		lines = append(lines, fmt.Sprintf("%s must not run: %s", to, ban.Why))
	}
	next, isVersion := parseVersion(imageTag(to))
	if !isVersion {
		return lines
	}
	if !l.knows(next) {
		return append(lines, fmt.Sprintf("seid %s is not in the list of releases: nothing is known of it", next))
	}
	if first := l.firstWithFreeze(); first != nil && of.freezes() && next.compare(first.number()) < 0 {
		lines = append(lines, fmt.Sprintf("freeze needs seid %s or later: %s ignores the height", first.Version, next))
	}
	before, wasVersion := parseVersion(imageTag(from))
	if !wasVersion || !l.knows(before) {
		return lines
	}
	for _, r := range l.Releases {
		if r.number().compare(before) > 0 && r.number().compare(next) <= 0 {
			lines = append(lines, r.lines()...)
		}
	}
	return lines
}

func (l releaseList) firstWithFreeze() *release {
	i := slices.IndexFunc(l.Releases, func(r release) bool { return r.Freeze != "" })
	if i < 0 {
		return nil
	}
	return &l.Releases[i]
}

func (l releaseList) banOf(image string, isValidator bool) *ban {
	for i, b := range l.Images {
		applies := b.Nodes == "All" || b.Nodes == "Validators" && isValidator
		if applies && isTagLike(imageTag(image), b.Tag) {
			return &l.Images[i]
		}
	}
	return nil
}

// isTagLike compares a tag with a pattern in which * stands for any characters.
func isTagLike(tag, pattern string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return tag == pattern
	}
	rest, hasPrefix := strings.CutPrefix(tag, parts[0])
	if !hasPrefix {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}

// lines returns what a release changes, in the words of its page.
func (r release) lines() []string {
	var lines []string
	add := func(what, note string) {
		if note != "" {
			what += ": " + note
		}
		lines = append(lines, r.Version+": "+what)
	}
	for _, port := range r.Ports {
		add(port.describe(), port.Note)
	}
	for _, setting := range r.Settings {
		add(setting.describe(), setting.Note)
	}
	if r.MinimumSidecar != "" {
		add("the sidecar must be "+r.MinimumSidecar+" or later", "")
	}
	for _, migration := range r.Migrations {
		add(migration.describe(), migration.Note)
	}
	if r.Freeze != "" {
		add("freeze", r.Freeze)
	}
	if r.StateSync != "" {
		add("state sync", r.StateSync)
	}
	for _, note := range r.Notes {
		add(note, "")
	}
	return lines
}

func (p portChange) describe() string {
	return fmt.Sprintf("port %d (%s) is %s", p.Number, p.Name, map[string]string{"Added": "new", "Removed": "gone"}[p.Change])
}

func (s settingChange) describe() string {
	name := s.Name
	if s.In != "command line" {
		name += " of " + s.In
	}
	switch {
	case s.Change == "Added" && s.Value != "":
		return name + " is new, " + s.Value + " by default"
	case s.Change == "Added":
		return name + " is new"
	case s.Change == "Removed":
		return name + " is gone"
	case s.Change == "Ignored":
		return name + " is no longer read"
	case s.Change == "Required":
		return name + " must be " + orElse(s.Value, "set")
	}
	return name + " is " + s.Value + " by default"
}

func (m storeMigration) describe() string {
	text := "the data migrates to " + m.Name + " and cannot go back"
	if m.Begins != "" {
		text += ", when " + m.Begins
	}
	if m.Duration != "" {
		text += ", in " + m.Duration
	}
	if m.Disk != "" {
		text += ", with " + m.Disk + " of disk"
	}
	return text
}

// adviceOn returns advice about the images that an edit changes: that of the spec, and those of upgrades.
func (l releaseList) adviceOn(before, after *unstructured.Unstructured, field comparedField) []string {
	name := strings.TrimPrefix(field.path, "template.spec.")
	if name != "image" && name != "upgrades" {
		return nil
	}
	at := field.location[:len(field.location)-1]
	was, now := imagesAt(before, at), imagesAt(after, at)
	if name == "image" {
		return l.advice(was.Image, now.Image, now)
	}
	var lines []string
	for _, upgrade := range now.Upgrades {
		if !slices.Contains(was.Upgrades, upgrade) {
			lines = append(lines, l.advice(was.Image, upgrade.Image, now)...)
		}
	}
	return lines
}

// imagesAt reads a node's spec in an object; a field of another type is as if it were not there.
func imagesAt(object *unstructured.Unstructured, location []string) nodeSpec {
	var spec nodeSpec
	text, err := json.Marshal(valueAt(object, location))
	if err != nil || json.Unmarshal(text, &spec) != nil {
		return nodeSpec{}
	}
	return spec
}
