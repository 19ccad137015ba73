package io.sei.operator.testkit.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The configuration files of what makes a machine a node. They are in {@code /run}, which is the
 * machine's own and goes with it.
 *
 * @param root the machine's root directory, as this process sees it
 */
record MachineFiles(Path root) {

  static final Path DIRECTORY = Path.of("/run/machine");
  static final Path CONTAINERD_SOCKET = Path.of("/run/containerd/containerd.sock");
  static final String REGISTRY = Machine.ADDRESS + ":5000";
  static final String CLUSTER_DNS = "10.96.0.10";

  private static final String CONTAINERD =
      """
      version = 2
      root = "/var/lib/containerd"
      state = "/run/containerd"
      [grpc]
        address = "%s"
      [plugins."io.containerd.grpc.v1.cri"]
        # Lowering it takes CAP_SYS_RESOURCE, which containers such as a build server's lack.
        restrict_oom_score_adj = true
        sandbox_image = "registry.k8s.io/pause:3.10"
        [plugins."io.containerd.grpc.v1.cri".registry]
          config_path = "%s/registries"
        [plugins."io.containerd.grpc.v1.cri".containerd]
          snapshotter = "overlayfs"
          [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
            runtime_type = "io.containerd.runc.v2"
        [plugins."io.containerd.grpc.v1.cri".cni]
          bin_dir = "%s"
          conf_dir = "%s/cni"
      """;

  /** Whatever registry an image names, this one is asked. */
  private static final String ANY_REGISTRY =
      """
      server = "http://%1$s"
      [host."http://%1$s"]
        capabilities = ["pull", "resolve"]
      """;

  private static final String NETWORK =
      """
      {"cniVersion": "0.4.0", "name": "pods", "plugins": [
        {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": %s, "hairpinMode": true,
         "ipam": {"type": "host-local", "ranges": [[{"subnet": "%s"}]],
                  "routes": [{"dst": "0.0.0.0/0"}]}},
        {"type": "portmap", "capabilities": {"portMappings": true}}%s]}
      """;

  /**
   * Has a connection to a machine that is gone end in 15 s instead of 15 minutes: until then
   * CometBFT refuses a node that connects from elsewhere ("duplicate ID").
   */
  private static final String DEAD_SOON =
      """
      , {"type": "tuning", "sysctl": {"net.ipv4.tcp_retries2": "5"}}\
      """;

  private static final String KUBELET =
      """
      apiVersion: kubelet.config.k8s.io/v1beta1
      kind: KubeletConfiguration
      failCgroupV1: false
      cgroupDriver: cgroupfs
      cgroupRoot: %s
      failSwapOn: false
      containerRuntimeEndpoint: unix://%s
      serializeImagePulls: false
      clusterDNS: ["%s"]
      clusterDomain: cluster.local
      authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
      authorization: {mode: AlwaysAllow}
      # The disk is that of whoever runs the tests, and what is on it is not their business.
      imageGCHighThresholdPercent: 100
      evictionHard: {memory.available: 50Mi, nodefs.available: 1%%, imagefs.available: 1%%, nodefs.inodesFree: 1%%}
      # By default 40 s, of which the kubelet renews its Lease every quarter.
      nodeLeaseDurationSeconds: 8
      # By default a minute.
      volumeStatsAggPeriod: 5s
      crashLoopBackOff: {maxContainerRestartPeriod: %s}
      featureGates: {KubeletCrashLoopBackOffMax: true}
      """;

  /** Writes the configuration of containerd, whose pods have addresses of this range. */
  Path containerd(String podRange, boolean isAlone) {
    write("registries/_default/hosts.toml", ANY_REGISTRY.formatted(REGISTRY));
    // Only beside other machines does a pod's address have to arrive there as it is.
    write(
        "cni/10-pods.conflist",
        NETWORK.formatted(isAlone, podRange, isAlone ? "" : DEAD_SOON.strip()));
    Path plugins = Tools.DIRECTORY.resolve("debian/usr/lib/cni");
    return write(
        "containerd.toml", CONTAINERD.formatted(CONTAINERD_SOCKET, DIRECTORY, plugins, DIRECTORY));
  }

  Path kubelet(String controlGroup, String longestBackoff) {
    return write(
        "kubelet.yaml",
        KUBELET.formatted(controlGroup, CONTAINERD_SOCKET, CLUSTER_DNS, longestBackoff));
  }

  /** Returns whether containerd has made its socket. */
  boolean hasContainerd() {
    return Files.exists(here(CONTAINERD_SOCKET));
  }

  /** Returns the path of a file as the machine sees it. */
  private Path write(String name, String text) {
    try {
      Path file = DIRECTORY.resolve(name);
      Files.createDirectories(here(file).getParent());
      Files.writeString(here(file), text);
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path here(Path inMachine) {
    return root.resolve(inMachine.toString().substring(1));
  }
}
