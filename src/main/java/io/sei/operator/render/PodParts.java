package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodReadinessGate;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Parts of a pod beside seid and its sidecar; the renderer completes each container. */
public final class PodParts {

  /** {@code EX_CONFIG}: exit code of a script that refuses to start seid; neither has it. */
  public static final int REFUSED = 78;

  private final List<Container> first = new ArrayList<>();
  private final List<Container> atHome = new ArrayList<>();
  private final List<Container> beside = new ArrayList<>();
  private final List<Volume> volumes = new ArrayList<>();
  private final Map<String, String> labels = new TreeMap<>();
  private final Map<String, String> annotations = new TreeMap<>();
  private final List<PodReadinessGate> gates = new ArrayList<>();
  private final List<Volume> mountedVolumes = new ArrayList<>();
  private final List<VolumeMount> seidMounts = new ArrayList<>();
  private final List<VolumeMount> sidecarMounts = new ArrayList<>();
  private final List<EnvVar> seidVariables = new ArrayList<>();
  private final List<EnvVar> sidecarVariables = new ArrayList<>();
  private final StringBuilder beforeSidecar = new StringBuilder();
  private final StringBuilder beforeSeid = new StringBuilder();
  private Optional<String> insteadOfSeid = Optional.empty();
  private Optional<String> readyPath = Optional.empty();

  PodParts() {}

  /** Adds an init container that ends before all others begin, also those that were added so. */
  public void first(Container container) {
    first.add(0, container);
  }

  /**
   * Adds an init container that finds the home directory made, and ends before the sidecar begins.
   */
  public void atHome(Container container) {
    atHome.add(container);
  }

  /** Adds a volume for containers that are added. */
  public void volume(Volume volume) {
    volumes.add(volume);
  }

  /** Adds a container that runs beside seid. */
  public void beside(Container container) {
    beside.add(container);
  }

  /** Adds a label, which wins over one of the user. */
  public void label(String name, String value) {
    labels.put(name, value);
  }

  /** Adds an annotation. */
  public void annotate(String name, String value) {
    annotations.put(name, value);
  }

  /** Adds a readiness gate, whose condition another program has to set. */
  public void gate(String condition) {
    gates.add(new PodReadinessGate(condition));
  }

  /** Adds a volume that the container of seid mounts, and no other one. */
  public void seidVolume(Volume volume, VolumeMount mount) {
    mountedVolumes.add(volume);
    seidMounts.add(mount);
  }

  /** Adds a volume that the sidecar mounts, and no other container. */
  public void sidecarVolume(Volume volume, VolumeMount mount) {
    mountedVolumes.add(volume);
    sidecarMounts.add(mount);
  }

  /** Adds a variable of seid's container. */
  public void seidVariable(EnvVar variable) {
    seidVariables.add(variable);
  }

  /** Adds a variable of the sidecar. */
  public void sidecarVariable(EnvVar variable) {
    sidecarVariables.add(variable);
  }

  /** Has the container of seid run this script of bash before it waits for the sidecar. */
  public void beforeSidecar(String script) {
    beforeSidecar.append(script);
  }

  /** Has the container of seid run this script of bash once its files are configured. */
  public void beforeSeid(String script) {
    beforeSeid.append(script);
  }

  /** Has the container of seid run this script in its place, without probes. */
  public void insteadOfSeid(String script) {
    insteadOfSeid = Optional.of(script);
  }

  /** Has seid's RPC asked whether it is ready by another path than that of its lag. */
  public void readyBy(String path) {
    readyPath = Optional.of(path);
  }

  List<Container> first() {
    return first;
  }

  List<Container> atHome() {
    return atHome;
  }

  List<Volume> volumes() {
    return volumes;
  }

  List<Container> beside() {
    return beside;
  }

  Map<String, String> labels() {
    return labels;
  }

  Map<String, String> annotations() {
    return annotations;
  }

  List<PodReadinessGate> gates() {
    return gates;
  }

  List<Volume> mountedVolumes() {
    return mountedVolumes;
  }

  List<VolumeMount> seidMounts() {
    return seidMounts;
  }

  List<VolumeMount> sidecarMounts() {
    return sidecarMounts;
  }

  List<EnvVar> seidVariables() {
    return seidVariables;
  }

  List<EnvVar> sidecarVariables() {
    return sidecarVariables;
  }

  String beforeSidecar() {
    return beforeSidecar.toString();
  }

  String beforeSeid() {
    return beforeSeid.toString();
  }

  Optional<String> insteadOfSeid() {
    return insteadOfSeid;
  }

  Optional<String> readyPath() {
    return readyPath;
  }
}
