package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ControllerPublishVolume attaches a disk to a machine. Another machine's disk is refused with the code
// that the CSI specification has for it ("Volume published to another node"), as Compute Engine
// (RESOURCE_IN_USE_BY_ANOTHER_RESOURCE) and EC2 (VolumeInUse) refuse it.
func (c *controller) ControllerPublishVolume(_ context.Context, r *csi.ControllerPublishVolumeRequest) (*csi.ControllerPublishVolumeResponse, error) {
	c.one.Lock()
	defer c.one.Unlock()
	found, err := c.get(volumes, r.VolumeId)
	if err != nil {
		return nil, status.Errorf(codes.NotFound, "no volume %q: %v", r.VolumeId, err)
	}
	if found.Machine != "" && found.Machine != r.NodeId {
		return nil, status.Errorf(codes.FailedPrecondition, "volume %q is attached to %s", r.VolumeId, found.Machine)
	}
	found.Machine = r.NodeId
	return &csi.ControllerPublishVolumeResponse{}, c.write(volumes, r.VolumeId, found)
}

// ControllerUnpublishVolume detaches a disk, and does not ask whether the machine still has it mounted:
// Compute Engine detaches such a disk too, and EC2 where it is forced to. Kubernetes asks for that only
// of a machine that is tainted out of service, or after six minutes of silence (non-graceful node
// shutdown; attach-detach controller, maxWaitForUnmountDuration).
func (c *controller) ControllerUnpublishVolume(_ context.Context, r *csi.ControllerUnpublishVolumeRequest) (*csi.ControllerUnpublishVolumeResponse, error) {
	c.one.Lock()
	defer c.one.Unlock()
	found, err := c.get(volumes, r.VolumeId)
	if errors.Is(err, fs.ErrNotExist) {
		return &csi.ControllerUnpublishVolumeResponse{}, nil
	}
	if err != nil {
		return nil, err
	}
	if found.Machine != r.NodeId {
		return &csi.ControllerUnpublishVolumeResponse{}, nil
	}
	if c.isPublished(r.VolumeId, found.Machine) {
		if err := c.takeAway(r.VolumeId, found.Machine); err != nil {
			return nil, err
		}
	}
	found.Machine = ""
	return &csi.ControllerUnpublishVolumeResponse{}, c.write(volumes, r.VolumeId, found)
}

// takeAway leaves a machine with a directory that is no longer the disk. A real machine gets I/O errors
// from here on; this one writes on, to nowhere, which is the harder case for a validator, which must not sign twice.
// The disk has what was written up to one moment, in which the machine's pods stand still.
func (c *controller) takeAway(id, machine string) error {
	thaw, err := freeze(filepath.Join(c.freezer, machine))
	if err != nil {
		return err
	}
	defer thaw()
	data := c.data(volumes, id)
	nowhere := fmt.Sprintf("%s-%s", data, machine)
	if err := os.RemoveAll(nowhere); err != nil {
		return err
	}
	if err := os.Rename(data, nowhere); err != nil {
		return err
	}
	if said, err := exec.Command("cp", "-a", nowhere, data).CombinedOutput(); err != nil {
		return fmt.Errorf("copying %s: %w: %s", nowhere, err, said)
	}
	return nil
}

// freeze stops the processes of a control group, of version 1 or 2, and returns how to let them go on.
func freeze(group string) (func(), error) {
	for _, version := range []struct{ file, stop, resume, shownIn, shown string }{
		{"freezer.state", "FROZEN", "THAWED", "freezer.state", "FROZEN"},
		{"cgroup.freeze", "1", "0", "cgroup.events", "frozen 1"},
	} {
		file := filepath.Join(group, version.file)
		if _, err := os.Stat(file); err != nil {
			continue
		}
		thaw := func() { _ = os.WriteFile(file, []byte(version.resume), 0) }
		if err := os.WriteFile(file, []byte(version.stop), 0); err != nil {
			return nil, err
		}
		for range 100 {
			state, err := os.ReadFile(filepath.Join(group, version.shownIn))
			if err == nil && strings.Contains(string(state), version.shown) {
				return thaw, nil
			}
			time.Sleep(10 * time.Millisecond)
		}
		thaw()
		return nil, fmt.Errorf("%s did not stand still in a second", group)
	}
	return nil, fmt.Errorf("no freezer in %s", group)
}
