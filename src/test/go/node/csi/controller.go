package main

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"sync"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
)

const mostIops = 16000

type controller struct {
	csi.UnimplementedControllerServer
	store
	one      sync.Mutex
	attaches bool
	freezer  string
}

func (c *controller) ControllerGetCapabilities(context.Context, *csi.ControllerGetCapabilitiesRequest) (*csi.ControllerGetCapabilitiesResponse, error) {
	response := &csi.ControllerGetCapabilitiesResponse{}
	abilities := []csi.ControllerServiceCapability_RPC_Type{
		csi.ControllerServiceCapability_RPC_CREATE_DELETE_VOLUME,
		csi.ControllerServiceCapability_RPC_CREATE_DELETE_SNAPSHOT,
		csi.ControllerServiceCapability_RPC_LIST_SNAPSHOTS,
		csi.ControllerServiceCapability_RPC_EXPAND_VOLUME,
		csi.ControllerServiceCapability_RPC_MODIFY_VOLUME,
	}
	if c.attaches {
		abilities = append(abilities, csi.ControllerServiceCapability_RPC_PUBLISH_UNPUBLISH_VOLUME)
	}
	for _, can := range abilities {
		response.Capabilities = append(response.Capabilities, &csi.ControllerServiceCapability{
			Type: &csi.ControllerServiceCapability_Rpc{Rpc: &csi.ControllerServiceCapability_RPC{Type: can}},
		})
	}
	return response, nil
}

func (c *controller) CreateVolume(_ context.Context, r *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	c.one.Lock()
	defer c.one.Unlock()
	made, err := c.get(volumes, r.Name)
	if errors.Is(err, fs.ErrNotExist) {
		made, err = c.createVolume(r)
	}
	if err != nil {
		return nil, err
	}
	return &csi.CreateVolumeResponse{Volume: &csi.Volume{
		VolumeId: r.Name, CapacityBytes: made.Capacity, ContentSource: r.VolumeContentSource,
	}}, nil
}

func (c *controller) createVolume(r *csi.CreateVolumeRequest) (item, error) {
	made := item{
		Capacity: r.CapacityRange.GetRequiredBytes(),
		Limited:  r.Parameters["limited"] == "true",
		Grows:    r.Parameters["grows"],
	}
	if err := check(r.MutableParameters); err != nil {
		return made, err
	}
	from := ""
	if r.VolumeContentSource != nil {
		id := r.VolumeContentSource.GetSnapshot().GetSnapshotId()
		source, err := c.get(snapshots, id)
		if err != nil {
			return made, status.Errorf(codes.NotFound, "no snapshot %q: %v", id, err)
		}
		if made.Capacity < source.Capacity {
			return made, status.Errorf(codes.OutOfRange, "%d bytes asked for, the snapshot has %d", made.Capacity, source.Capacity)
		}
		from = c.data(snapshots, id)
	}
	if !made.Limited {
		return made, c.put(volumes, r.Name, made, from)
	}
	if from != "" {
		return made, status.Error(codes.InvalidArgument, "a limited volume begins empty")
	}
	if err := c.put(volumes, r.Name, made, ""); err != nil {
		return made, err
	}
	return made, c.limit(r.Name, made.Capacity)
}

// ControllerExpandVolume grows what a volume may have; its file system is grown where it is mounted.
func (c *controller) ControllerExpandVolume(_ context.Context, r *csi.ControllerExpandVolumeRequest) (*csi.ControllerExpandVolumeResponse, error) {
	c.one.Lock()
	defer c.one.Unlock()
	found, err := c.get(volumes, r.VolumeId)
	if err != nil {
		return nil, status.Errorf(codes.NotFound, "no volume %q: %v", r.VolumeId, err)
	}
	if found.Grows == detached && c.isPublishedAnywhere(r.VolumeId) {
		return nil, status.Errorf(codes.FailedPrecondition, "volume %q is in use", r.VolumeId)
	}
	if wanted := r.CapacityRange.GetRequiredBytes(); wanted > found.Capacity {
		found.Capacity = wanted
		if err := c.write(volumes, r.VolumeId, found); err != nil {
			return nil, err
		}
	}
	return &csi.ControllerExpandVolumeResponse{CapacityBytes: found.Capacity, NodeExpansionRequired: found.Limited}, nil
}

func (c *controller) ControllerModifyVolume(_ context.Context, r *csi.ControllerModifyVolumeRequest) (*csi.ControllerModifyVolumeResponse, error) {
	if _, err := c.get(volumes, r.VolumeId); err != nil {
		return nil, status.Errorf(codes.NotFound, "no volume %q: %v", r.VolumeId, err)
	}
	return &csi.ControllerModifyVolumeResponse{}, check(r.MutableParameters)
}

// check refuses the parameters of a VolumeAttributesClass that this driver does not have.
func check(parameters map[string]string) error {
	for name, value := range parameters {
		if iops, err := strconv.Atoi(value); name != "iops" || err != nil || iops > mostIops {
			return status.Errorf(codes.InvalidArgument, "%s %s is not possible, at most iops %d", name, value, mostIops)
		}
	}
	return nil
}

func (c *controller) DeleteVolume(_ context.Context, r *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	return &csi.DeleteVolumeResponse{}, c.remove(volumes, r.VolumeId)
}

func (c *controller) ValidateVolumeCapabilities(_ context.Context, r *csi.ValidateVolumeCapabilitiesRequest) (*csi.ValidateVolumeCapabilitiesResponse, error) {
	return &csi.ValidateVolumeCapabilitiesResponse{
		Confirmed: &csi.ValidateVolumeCapabilitiesResponse_Confirmed{VolumeCapabilities: r.VolumeCapabilities},
	}, nil
}

func (c *controller) CreateSnapshot(ctx context.Context, r *csi.CreateSnapshotRequest) (*csi.CreateSnapshotResponse, error) {
	switch r.Parameters["fault"] {
	case "full":
		return nil, status.Error(codes.ResourceExhausted, "no room for another snapshot")
	case "never":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	c.one.Lock()
	defer c.one.Unlock()
	made, err := c.get(snapshots, r.Name)
	if errors.Is(err, fs.ErrNotExist) {
		made, err = c.createSnapshot(r)
	}
	if err != nil {
		return nil, err
	}
	return &csi.CreateSnapshotResponse{Snapshot: describe(r.Name, made)}, nil
}

func (c *controller) createSnapshot(r *csi.CreateSnapshotRequest) (item, error) {
	source, err := c.get(volumes, r.SourceVolumeId)
	if err != nil {
		return source, status.Errorf(codes.NotFound, "no volume %q: %v", r.SourceVolumeId, err)
	}
	var later time.Duration
	if text, slow := r.Parameters["readyAfter"]; slow {
		if later, err = time.ParseDuration(text); err != nil {
			return source, status.Error(codes.InvalidArgument, err.Error())
		}
	}
	now := time.Now()
	made := item{Capacity: source.Capacity, Volume: r.SourceVolumeId, Taken: now, ReadyAt: now.Add(later)}
	return made, c.put(snapshots, r.Name, made, c.data(volumes, r.SourceVolumeId))
}

func describe(id string, found item) *csi.Snapshot {
	return &csi.Snapshot{
		SnapshotId:     id,
		SourceVolumeId: found.Volume,
		SizeBytes:      found.Capacity,
		CreationTime:   timestamppb.New(found.Taken),
		ReadyToUse:     !time.Now().Before(found.ReadyAt),
	}
}

func (c *controller) DeleteSnapshot(_ context.Context, r *csi.DeleteSnapshotRequest) (*csi.DeleteSnapshotResponse, error) {
	return &csi.DeleteSnapshotResponse{}, c.remove(snapshots, r.SnapshotId)
}

func (c *controller) ListSnapshots(_ context.Context, r *csi.ListSnapshotsRequest) (*csi.ListSnapshotsResponse, error) {
	response := &csi.ListSnapshotsResponse{}
	for _, id := range c.ids(snapshots) {
		found, err := c.get(snapshots, id)
		if err == nil && (r.SnapshotId == "" || r.SnapshotId == id) &&
			(r.SourceVolumeId == "" || r.SourceVolumeId == found.Volume) {
			response.Entries = append(response.Entries, &csi.ListSnapshotsResponse_Entry{Snapshot: describe(id, found)})
		}
	}
	return response, nil
}
