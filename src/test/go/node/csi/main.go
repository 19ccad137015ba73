// Command csi is a storage driver for the tests on a real node: volumes and snapshots are directories,
// and a snapshot is a real copy. It registers itself with the kubelet.
//
// A volume of a StorageClass with the parameter limited=true is a file system in memory that has no more
// room than the claim asked for. It grows while it is mounted; with the parameter grows=atMount only when
// it is mounted again, and with grows=detached only while no pod has it. A VolumeAttributesClass may have
// the parameter iops, up to 16000.
//
// The parameters of a VolumeSnapshotClass make it fail: fault=full refuses a snapshot for want of room,
// fault=never does not answer, readyAfter=5s takes it at once and has it ready later.
//
// With -attach its volumes are disks of a network: each is attached to one machine at a time, and the
// driver runs once as -controller, beside the API server, and once as -node on each machine.
package main

import (
	"context"
	"flag"
	"log"
	"net"
	"os"
	"path/filepath"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

type identity struct {
	csi.UnimplementedIdentityServer
	name string
}

func (i identity) GetPluginInfo(context.Context, *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error) {
	return &csi.GetPluginInfoResponse{Name: i.name, VendorVersion: "1"}, nil
}

func (i identity) GetPluginCapabilities(context.Context, *csi.GetPluginCapabilitiesRequest) (*csi.GetPluginCapabilitiesResponse, error) {
	return &csi.GetPluginCapabilitiesResponse{Capabilities: []*csi.PluginCapability{{
		Type: &csi.PluginCapability_Service_{Service: &csi.PluginCapability_Service{
			Type: csi.PluginCapability_Service_CONTROLLER_SERVICE,
		}},
	}, {
		Type: &csi.PluginCapability_VolumeExpansion_{VolumeExpansion: &csi.PluginCapability_VolumeExpansion{
			Type: csi.PluginCapability_VolumeExpansion_ONLINE,
		}},
	}}}, nil
}

func (i identity) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return &csi.ProbeResponse{}, nil
}

// registrar tells the kubelet, which watches a directory for its socket, where the driver is.
type registrar struct {
	registration.UnimplementedRegistrationServer
	name, socket string
}

func (r registrar) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{
		Type:              registration.CSIPlugin,
		Name:              r.name,
		Endpoint:          r.socket,
		SupportedVersions: []string{"1.0.0"},
	}, nil
}

func (r registrar) NotifyRegistrationStatus(_ context.Context, s *registration.RegistrationStatus) (*registration.RegistrationStatusResponse, error) {
	log.Printf("registered: %t %s", s.PluginRegistered, s.Error)
	return &registration.RegistrationStatusResponse{}, nil
}

// logging has each call and its end in the log, which is what a failed test is explained by.
func logging(ctx context.Context, request any, call *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	log.Printf("%s %v", call.FullMethod, request)
	answer, err := handle(ctx, request)
	log.Printf("%s: %v %v", call.FullMethod, answer, err)
	return answer, err
}

func serve(socket string, register func(*grpc.Server)) error {
	if err := os.MkdirAll(filepath.Dir(socket), 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(socket); err != nil {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(logging))
	register(server)
	return server.Serve(listener)
}

func main() {
	name := flag.String("name", "", "name of the driver")
	kubelet := flag.String("kubelet", "/var/lib/kubelet", "directory of the kubelet")
	state := flag.String("state", "", "directory of the volumes and snapshots")
	nodeName := flag.String("node", "", "name of the Kubernetes node; without one, no volume is mounted here")
	attach := flag.Bool("attach", false, "attach each volume to one machine at a time")
	control := flag.Bool("controller", true, "make, attach and delete volumes")
	freezer := flag.String("freezer", "", "control group with one group of pods for each machine, which are stopped while their disk is taken away")
	flag.Parse()

	socket := filepath.Join(*kubelet, "plugins", *name, "csi.sock")
	failed := make(chan error)
	go func() {
		failed <- serve(socket, func(s *grpc.Server) {
			csi.RegisterIdentityServer(s, identity{name: *name})
			if *control {
				csi.RegisterControllerServer(s, &controller{store: store(*state), attaches: *attach, freezer: *freezer})
			}
			if *nodeName != "" {
				csi.RegisterNodeServer(s, node{store: store(*state), name: *nodeName, attaches: *attach})
			}
		})
	}()
	if *nodeName == "" {
		log.Fatal(<-failed)
	}
	go func() {
		failed <- serve(filepath.Join(*kubelet, "plugins_registry", *name+"-reg.sock"), func(s *grpc.Server) {
			registration.RegisterRegistrationServer(s, registrar{name: *name, socket: socket})
		})
	}()
	log.Fatal(<-failed)
}
