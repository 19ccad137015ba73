package io.sei.operator.fleet.genesis;

import static io.sei.operator.kube.ApiErrors.isConflict;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.fleet.genesis.Inheritance.Remains;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.Names;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Objects that a ceremony creates and reads, all of them live. */
public record CeremonyObjects(KubeApi api, Clock clock) {

  private static final String JOB_NAME = "batch.kubernetes.io/job-name";
  private static final int MAX_EVENTS = 100;
  private static final Duration LOG_TIMEOUT = Duration.ofSeconds(20);

  private static final ChildRenderer RENDERER = new ChildRenderer();

  /** The genesis that is there, of whomever. */
  Optional<ConfigMap> genesis(SeiNodeDeployment fleet) {
    return genesis(fleet, GenesisConfigMap.name(fleet));
  }

  /** The ConfigMap of a name. */
  Optional<ConfigMap> genesis(SeiNodeDeployment fleet, String name) {
    return api.get(ConfigMap.class, namespace(fleet), name);
  }

  /** Creates the genesis, unless there is one. */
  void commit(SeiNodeDeployment fleet, String stored) {
    createUnlessThere(GenesisConfigMap.render(fleet, stored, nodeIds(fleet)));
  }

  Optional<Job> job(SeiNodeDeployment fleet) {
    return api.get(Job.class, namespace(fleet), CeremonyJob.name(fleet));
  }

  void start(SeiNodeDeployment fleet, Duration limit) {
    createUnlessThere(CeremonyJob.render(fleet, names(fleet), limit));
  }

  void delete(Job job) {
    api.delete(job, Propagation.BACKGROUND, false);
  }

  /** The pod that a Job has had; it has one at most. */
  Optional<Pod> pod(Job job) {
    String name = job.getMetadata().getName();
    return api.list(Pod.class, job.getMetadata().getNamespace(), Map.of(JOB_NAME, name)).stream()
        .filter(pod -> Ownership.isOurs(pod, job))
        .findFirst();
  }

  /**
   * Reports in the words of the Job controller why it cannot create the pod; empty if it does not,
   * or if Events cannot be read.
   */
  String refusal(Job job) {
    String uid = job.getMetadata().getUid();
    try {
      return CeremonyRun.refusal(
          api.eventsAbout(uid, job.getMetadata().getNamespace(), MAX_EVENTS), clock.instant());
    } catch (KubernetesClientException e) {
      return "";
    }
  }

  /**
   * All that the container has printed.
   *
   * @throws KubernetesClientException if that cannot be read
   */
  String log(Pod pod) {
    return api.endOfWholeLog(
        pod.getMetadata().getNamespace(),
        pod.getMetadata().getName(),
        CeremonyJob.CONTAINER,
        GenesisBlock.MAX_LOG,
        LOG_TIMEOUT,
        clock);
  }

  /** Returns the remaining objects of an earlier chain of this name, by kind and name. */
  List<String> leftovers(SeiNodeDeployment fleet) {
    return remains(fleet).stream()
        .flatMap(remains -> remains.found().keySet().stream())
        .sorted()
        .toList();
  }

  /**
   * Returns objects with the name of a node, or of its claim, before the deployment has made any.
   */
  List<String> inTheWay(SeiNodeDeployment fleet) {
    var found = new TreeMap<String, HasMetadata>();
    nodes(fleet)
        .forEach(
            node -> {
              find(found, SeiNode.class, fleet, node.getMetadata().getName());
              find(found, PersistentVolumeClaim.class, fleet, Names.claim(node));
            });
    return List.copyOf(found.keySet());
  }

  private static Stream<SeiNode> nodes(SeiNodeDeployment fleet) {
    return IntStream.range(0, fleet.getSpec().replicas())
        .mapToObj(range -> RENDERER.render(fleet, range, ChildRenderer.template(fleet)));
  }

  private <T extends HasMetadata> void find(
      Map<String, HasMetadata> found, Class<T> type, SeiNodeDeployment fleet, String name) {
    api.get(type, namespace(fleet), name)
        .ifPresent(object -> found.put(Remains.key(type, name), object));
  }

  /** Makes the keys that are missing; one that is there is never written. */
  void makeKeys(SeiNodeDeployment fleet) {
    for (KeySecretNames names : names(fleet)) {
      List<Secret> made = names.render(fleet, ValidatorKeys.make(new SecureRandom()));
      made.stream()
          .filter(secret -> secret(fleet, secret.getMetadata().getName()).isEmpty())
          .forEach(this::createUnlessThere);
    }
  }

  /** Secrets that are missing, or were made for another fleet. */
  List<String> unusable(SeiNodeDeployment fleet) {
    return secrets(fleet)
        .filter(secret -> secret(fleet, secret).filter(s -> isOf(s, fleet)).isEmpty())
        .toList();
  }

  /** The public halves of the consensus keys, as their Secrets have them; in base64. */
  List<String> publicKeys(SeiNodeDeployment fleet) {
    return names(fleet).stream()
        .map(names -> secret(fleet, names.signingKey()).map(KeySecretNames::publicKey).orElse(""))
        .toList();
  }

  /** Returns the node IDs by which the validators know each other. */
  private List<String> nodeIds(SeiNodeDeployment fleet) {
    return names(fleet).stream()
        .map(names -> secret(fleet, names.nodeKey()).map(KeySecretNames::nodeId).orElse(""))
        .toList();
  }

  /** Returns the remaining objects of an earlier deployment of this name, by validator. */
  List<Remains> remains(SeiNodeDeployment fleet) {
    return nodes(fleet).map(node -> remains(fleet, node)).toList();
  }

  private Remains remains(SeiNodeDeployment fleet, SeiNode node) {
    String name = node.getMetadata().getName();
    var secrets = KeySecretNames.of(name);
    var found = new HashMap<String, HasMetadata>();
    secrets.all().forEach(text -> find(found, Secret.class, fleet, text));
    find(found, PersistentVolumeClaim.class, fleet, Names.claim(node));
    find(found, SeiNode.class, fleet, name);
    return new Remains(name, secrets, Names.claim(node), found);
  }

  /** Returns whether an object was made by the ceremony of this very fleet, and stays. */
  static boolean isOf(HasMetadata object, SeiNodeDeployment fleet) {
    return !object.isMarkedForDeletion()
        && Annotations.has(object, GenesisConfigMap.GENESIS_OF, fleet.getMetadata().getUid());
  }

  private Optional<Secret> secret(SeiNodeDeployment fleet, String name) {
    return api.get(Secret.class, namespace(fleet), name);
  }

  private static Stream<String> secrets(SeiNodeDeployment fleet) {
    return names(fleet).stream().flatMap(names -> names.all().stream());
  }

  private static List<KeySecretNames> names(SeiNodeDeployment fleet) {
    return IntStream.range(0, fleet.getSpec().replicas())
        .mapToObj(range -> KeySecretNames.of(ChildRenderer.name(fleet, range)))
        .toList();
  }

  private void createUnlessThere(HasMetadata object) {
    try {
      api.create(object);
    } catch (KubernetesClientException e) {
      if (!isConflict(e)) {
        throw e;
      }
    }
  }

  private static String namespace(SeiNodeDeployment fleet) {
    return fleet.getMetadata().getNamespace();
  }
}
