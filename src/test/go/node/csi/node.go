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
	name string
}

func (n node) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	return &csi.NodeGetInfoResponse{NodeId: n.name}, nil
}

func (n node) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	return &csi.NodeGetCapabilitiesResponse{Capabilities: []*csi.NodeServiceCapability{{
		Type: &csi.NodeServiceCapability_Rpc{Rpc: &csi.NodeServiceCapability_RPC{
			Type: csi.NodeServiceCapability_RPC_EXPAND_VOLUME,
		}},
	}}}, nil
}

// NodeExpandVolume grows a file system while it is mounted.
func (n node) NodeExpandVolume(_ context.Context, r *csi.NodeExpandVolumeRequest) (*csi.NodeExpandVolumeResponse, error) {
	found, err := n.get(volumes, r.VolumeId)
	if err != nil {
		return nil, status.Errorf(codes.NotFound, "no volume %q: %v", r.VolumeId, err)
	}
	if found.Limited {
		err = unix.Mount("", n.data(volumes, r.VolumeId), "", unix.MS_REMOUNT, room(found.Capacity))
	}
	return &csi.NodeExpandVolumeResponse{CapacityBytes: found.Capacity}, err
}

func (n node) NodePublishVolume(_ context.Context, r *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	if _, err := n.get(volumes, r.VolumeId); err != nil {
		return nil, status.Errorf(codes.NotFound, "no volume %q: %v", r.VolumeId, err)
	}
	if err := os.MkdirAll(r.TargetPath, 0o750); err != nil {
		return nil, err
	}
	if err := unmount(r.TargetPath); err != nil {
		return nil, err
	}
	return &csi.NodePublishVolumeResponse{}, unix.Mount(n.data(volumes, r.VolumeId), r.TargetPath, "", unix.MS_BIND, "")
}

func (n node) NodeUnpublishVolume(_ context.Context, r *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	if err := unmount(r.TargetPath); err != nil {
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
