//go:build tools

// Package tools names the module that has the CRDs of VolumeSnapshots, which hack/snapshot-crds.sh copies.
package tools

import (
	_ "github.com/kubernetes-csi/external-snapshotter/client/v8/apis/volumesnapshot/v1"
)
