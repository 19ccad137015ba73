package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// store is a directory with one directory for each volume and each snapshot.
type store string

// item is a volume, or a snapshot of one.
type item struct {
	Capacity int64
	// Of a volume: whether that is all the room it has.
	Limited bool
	// Of one that is limited: when it grows; empty if that is while it is mounted.
	Grows string
	// Of a disk of a network: the machine that it is attached to.
	Machine string
	// Of a snapshot: the volume it was made of, when, and when it is ready.
	Volume  string
	Taken   time.Time
	ReadyAt time.Time
}

const (
	atMount  = "atMount"
	detached = "detached"
)

const (
	volumes   = "volumes"
	snapshots = "snapshots"
)

func (s store) path(kind, id string) string { return filepath.Join(string(s), kind, filepath.Base(id)) }

// data is what a pod sees of a volume.
func (s store) data(kind, id string) string { return filepath.Join(s.path(kind, id), "data") }

func (s store) get(kind, id string) (item, error) {
	var found item
	content, err := os.ReadFile(filepath.Join(s.path(kind, id), "item.json"))
	if err != nil {
		return found, err
	}
	return found, json.Unmarshal(content, &found)
}

func (s store) ids(kind string) []string {
	entries, _ := os.ReadDir(filepath.Join(string(s), kind))
	ids := make([]string, 0, len(entries))
	for _, entry := range entries {
		ids = append(ids, entry.Name())
	}
	return ids
}

// put makes a volume or a snapshot, empty or with a copy of the content of another directory. It is
// there whole or not at all.
func (s store) put(kind, id string, made item, from string) error {
	target := s.path(kind, id)
	work := filepath.Join(string(s), "new-"+filepath.Base(id))
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	data := filepath.Join(work, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return err
	}
	if from != "" {
		// With owners, modes and times, which seid and the kubelet's fsGroup look at.
		if said, err := exec.Command("cp", "-a", from+"/.", data).CombinedOutput(); err != nil {
			return fmt.Errorf("copying %s: %w: %s", from, err, said)
		}
	}
	if err := describeIn(work, made); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return os.Rename(work, target)
}

// write changes what is said of a volume.
func (s store) write(kind, id string, changed item) error {
	return describeIn(s.path(kind, id), changed)
}

func describeIn(directory string, described item) error {
	content, err := json.Marshal(described)
	if err != nil {
		return err
	}
	file := filepath.Join(directory, "item.json")
	if err := os.WriteFile(file+".new", content, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// note records that pods of a machine have a volume, or no longer have it.
func (s store) note(id, machine string, published bool) error {
	mark := s.mark(id, machine)
	if published {
		return os.WriteFile(mark, nil, 0o644)
	}
	if err := os.Remove(mark); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (s store) isPublished(id, machine string) bool {
	_, err := os.Stat(s.mark(id, machine))
	return err == nil
}

func (s store) isPublishedAnywhere(id string) bool {
	marks, _ := filepath.Glob(s.mark(id, "*"))
	return len(marks) > 0
}

func (s store) mark(id, machine string) string {
	return filepath.Join(s.path(volumes, id), "published-"+machine)
}

// limit gives a volume a file system of its own.
func (s store) limit(id string, capacity int64) error {
	return unix.Mount("tmpfs", s.data(volumes, id), "tmpfs", 0, room(capacity))
}

// grow has the file system of a volume become as large as the volume.
func (s store) grow(id string, capacity int64) error {
	return unix.Mount("", s.data(volumes, id), "", unix.MS_REMOUNT, room(capacity))
}

// size is what the file system of a volume has.
func (s store) size(id string) (int64, error) {
	var found unix.Statfs_t
	err := unix.Statfs(s.data(volumes, id), &found)
	return int64(found.Blocks) * int64(found.Bsize), err
}

// room is a mount option.
func room(capacity int64) string { return fmt.Sprintf("size=%d", capacity) }

func (s store) remove(kind, id string) error {
	if err := unmount(s.data(kind, id)); err != nil {
		return err
	}
	return os.RemoveAll(s.path(kind, id))
}
