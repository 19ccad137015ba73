package main

import (
	"context"
	"errors"
	"os"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type node struct {
	csi.UnimplementedNodeServer
	store
	name     string
	attaches bool
}

func (n node) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	return &csi.NodeGetInfoResponse{NodeId: n.name}, nil
}

func (n node) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	response := &csi.NodeGetCapabilitiesResponse{}
	for _, can := range []csi.NodeServiceCapability_RPC_Type{
		csi.NodeServiceCapability_RPC_EXPAND_VOLUME,
		csi.NodeServiceCapability_RPC_GET_VOLUME_STATS,
	} {
		response.Capabilities = append(response.Capabilities, &csi.NodeServiceCapability{
			Type: &csi.NodeServiceCapability_Rpc{Rpc: &csi.NodeServiceCapability_RPC{Type: can}},
		})
	}
	return response, nil
}

// NodeGetVolumeStats says how full the file system of a volume is. One that is not limited has that of
// the machine, as a local volume does.
func (n node) NodeGetVolumeStats(_ context.Context, r *csi.NodeGetVolumeStatsRequest) (*csi.NodeGetVolumeStatsResponse, error) {
	if _, err := n.get(volumes, r.VolumeId); err != nil {
		return nil, status.Errorf(codes.NotFound, "no volume %q: %v", r.VolumeId, err)
	}
	var found unix.Statfs_t
	if err := unix.Statfs(r.VolumePath, &found); err != nil {
		return nil, status.Errorf(codes.NotFound, "volume %q is not at %s: %v", r.VolumeId, r.VolumePath, err)
	}
	block := int64(found.Bsize)
	return &csi.NodeGetVolumeStatsResponse{Usage: []*csi.VolumeUsage{{
		Unit:      csi.VolumeUsage_BYTES,
		Total:     int64(found.Blocks) * block,
		Used:      int64(found.Blocks-found.Bfree) * block,
		Available: int64(found.Bavail) * block,
	}, {
		Unit:      csi.VolumeUsage_INODES,
		Total:     int64(found.Files),
		Used:      int64(found.Files - found.Ffree),
		Available: int64(found.Ffree),
	}}}, nil
}

// NodeExpandVolume grows a file system while it is mounted, if it does that.
func (n node) NodeExpandVolume(_ context.Context, r *csi.NodeExpandVolumeRequest) (*csi.NodeExpandVolumeResponse, error) {
	found, err := n.get(volumes, r.VolumeId)
	if err != nil {
		return nil, status.Errorf(codes.NotFound, "no volume %q: %v", r.VolumeId, err)
	}
	switch {
	case !found.Limited:
	case found.Grows == "":
		err = n.grow(r.VolumeId, found.Capacity)
	default:
		var size int64
		if size, err = n.size(r.VolumeId); err == nil && size < found.Capacity {
			err = status.Errorf(codes.FailedPrecondition, "the file system of volume %q is in use", r.VolumeId)
		}
	}
	return &csi.NodeExpandVolumeResponse{CapacityBytes: found.Capacity}, err
}

func (n node) NodePublishVolume(_ context.Context, r *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	found, err := n.get(volumes, r.VolumeId)
	if err != nil {
		return nil, status.Errorf(codes.NotFound, "no volume %q: %v", r.VolumeId, err)
	}
	if n.attaches && found.Machine != n.name {
		return nil, status.Errorf(codes.FailedPrecondition, "volume %q is attached to %q, not to %s", r.VolumeId, found.Machine, n.name)
	}
	if err := os.MkdirAll(r.TargetPath, 0o750); err != nil {
		return nil, err
	}
	if err := unmount(r.TargetPath); err != nil {
		return nil, err
	}
	// Nobody has it at this moment.
	if found.Limited {
		if err := n.grow(r.VolumeId, found.Capacity); err != nil {
			return nil, err
		}
	}
	if err := n.note(r.VolumeId, n.name, true); err != nil {
		return nil, err
	}
	return &csi.NodePublishVolumeResponse{}, unix.Mount(n.data(volumes, r.VolumeId), r.TargetPath, "", unix.MS_BIND, "")
}

func (n node) NodeUnpublishVolume(_ context.Context, r *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	if err := unmount(r.TargetPath); err != nil {
		return nil, err
	}
	if err := n.note(r.VolumeId, n.name, false); err != nil {
		return nil, err
	}
	return &csi.NodeUnpublishVolumeResponse{}, removeDirectory(r.TargetPath)
}

// unmount takes what is not mounted for done, since both calls may come twice.
func unmount(path string) error {
	if err := unix.Unmount(path, 0); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) {
		return err
	}
	return nil
}

// removeDirectory removes nothing that is still mounted there.
func removeDirectory(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
