package io.sei.operator.testkit.controlplane;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command lines of the components, with flags that every supported Kubernetes accepts. */
record ComponentCommands(ControlPlaneBinaries binaries, String address, Ports ports) {

  private static final String LOOPBACK = "127.0.0.1";

  /**
   * Controllers by their short names, which are aliases. Left out is what would act on the
   * simulated kubelet's behalf: nodes and volumes are its business.
   */
  private static final String CONTROLLERS =
      String.join(
          ",",
          "clusterrole-aggregation",
          "deployment",
          "disruption",
          "garbagecollector",
          "job",
          "namespace",
          "podgc",
          // Without these two a deleted claim keeps its finalizer and its namespace never goes.
          "pv-protection",
          "pvc-protection",
          "replicaset",
          "serviceaccount",
          "statefulset");

  /** Ports of one control plane. */
  record Ports(int etcdClient, int etcdPeer, int apiServer) {}

  String apiServerUrl() {
    return "https://" + address + ":" + ports.apiServer();
  }

  /** Returns whether a real kubelet runs pods here, which reach the API server at this address. */
  private boolean hasKubelet() {
    return !address.equals(LOOPBACK);
  }

  List<String> etcd(Path dataDirectory) {
    String client = "http://127.0.0.1:" + ports.etcdClient();
    String peer = "http://127.0.0.1:" + ports.etcdPeer();
    List<String> command = new ArrayList<>();
    command.add(binaries.etcd().toString());
    command.add("--name=default");
    command.add("--data-dir=" + dataDirectory);
    command.add("--listen-client-urls=" + client);
    command.add("--advertise-client-urls=" + client);
    command.add("--listen-peer-urls=" + peer);
    command.add("--initial-advertise-peer-urls=" + peer);
    command.add("--initial-cluster=default=" + peer);
    command.add("--unsafe-no-fsync");
    return command;
  }

  List<String> kubeApiServer(Credentials credentials, List<String> extraFlags) {
    List<String> command = new ArrayList<>();
    command.add(binaries.kubeApiServer().toString());
    command.add("--etcd-servers=http://127.0.0.1:" + ports.etcdClient());
    command.add("--bind-address=" + address);
    command.add("--advertise-address=" + address);
    command.add("--secure-port=" + ports.apiServer());
    command.add("--cert-dir=" + credentials.servingDirectory());
    command.add("--token-auth-file=" + credentials.tokenFile());
    command.add("--authorization-mode=RBAC");
    command.add("--service-account-issuer=https://kubernetes.default.svc");
    command.add("--service-account-signing-key-file=" + credentials.serviceAccountKey());
    command.add("--service-account-key-file=" + credentials.serviceAccountPublicKey());
    command.add("--service-cluster-ip-range=10.96.0.0/16");
    if (hasKubelet()) {
      command.add("--kubelet-preferred-address-types=InternalIP");
    } else {
      // Pods need no tokens here, and the plugin would refuse pods until a token exists.
      command.add("--disable-admission-plugins=ServiceAccount");
      // An Endpoints object must not hold the loopback address this server has.
      command.add("--endpoint-reconciler-type=none");
    }
    command.add("--allow-privileged=true");
    command.add("--max-requests-inflight=3000");
    command.add("--max-mutating-requests-inflight=1500");
    command.addAll(extraFlags);
    return command;
  }

  /** A controller manager that runs this controller alone. */
  List<String> controller(String name, Path kubeconfig) {
    return List.of(
        binaries.kubeControllerManager().toString(),
        "--kubeconfig=" + kubeconfig,
        "--controllers=" + name,
        "--leader-elect=false",
        "--secure-port=0");
  }

  List<String> kubeControllerManager(
      Path kubeconfig, Credentials credentials, List<String> extraFlags) {
    List<String> command = new ArrayList<>();
    command.add(binaries.kubeControllerManager().toString());
    command.add("--kubeconfig=" + kubeconfig);
    if (hasKubelet()) {
      command.add("--service-account-private-key-file=" + credentials.serviceAccountKey());
      command.add("--root-ca-file=" + credentials.servingCertificate());
    } else {
      command.add("--controllers=" + CONTROLLERS);
    }
    command.add("--leader-elect=false");
    command.add("--kube-api-qps=500");
    command.add("--kube-api-burst=1000");
    command.add("--concurrent-statefulset-syncs=20");
    // Nobody asks it anything, and a port that is not opened cannot collide.
    command.add("--secure-port=0");
    command.addAll(extraFlags);
    return command;
  }
}
