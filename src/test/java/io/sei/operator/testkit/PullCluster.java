package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.DefaultKubernetesResourceList;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.NamespaceableResource;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.End;
import java.lang.reflect.Proxy;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * An API server, a Job controller, a garbage collector, a kubelet and a registry, as far as Jobs
 * that pull images need them. The operator can be killed at each of its requests.
 */
public final class PullCluster {

  /** The operator died at a request; nothing that it did not send yet is sent. */
  public static final class OperatorDied extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final Map<String, Job> jobs = new TreeMap<>();
  private final Map<String, Pod> pods = new TreeMap<>();
  private final Map<String, String> registry = new TreeMap<>();
  private final Map<String, String> onMachine = new TreeMap<>();
  private final List<String> requests = new ArrayList<>();
  private final TreeSet<String> names = new TreeSet<>();
  private final List<String> images = new ArrayList<>();
  private boolean registryAnswers = true;
  private boolean denies;
  private int livesFor = Integer.MAX_VALUE;
  private boolean diesAfter;
  private int uids;

  /** Answers of the files of the volume, by container; one that is not here is missing. */
  private final Map<String, String> files = new TreeMap<>();

  /** How an inspection ends; null if it hangs. */
  private End inspection = End.exit(0, "name: sei\nversion: v2.0.0\ncommit: 1f0c8d8");

  /** The client of the operator. */
  public KubeApi api() {
    return new KubeApi(answering(KubernetesClient.class, new Request(null, null, Map.of(), null)));
  }

  /** Adds a pod that is not of a Job. */
  public void put(Pod pod) {
    pods.put(pod.getMetadata().getName(), pod);
  }

  /** Pushes an image, or moves its tag. */
  public void push(String image, String digest) {
    registry.put(image, digest);
  }

  /** The registry answers, or is down. */
  public void registryAnswers(boolean answers) {
    registryAnswers = answers;
  }

  /** The kubelet removes the images that nothing uses. */
  public void removeImages() {
    onMachine.clear();
  }

  /** The answer of a file of the volume to a Job that looks into it. */
  public void answer(String file, String answer) {
    files.put("gate-" + file.replace('.', '-'), answer);
  }

  /** How inspections end from now on; null: they hang. */
  public void inspectionsEnd(End end) {
    inspection = end;
  }

  /** A quota or a webhook denies every Job. */
  public void denyJobs() {
    denies = true;
  }

  /** The operator survives so many requests; the next one is sent only if it dies after it. */
  public void killAt(int request, boolean after) {
    livesFor = request;
    diesAfter = after;
  }

  /** Another operator takes the place of the dead one. */
  public void revive() {
    livesFor = Integer.MAX_VALUE;
  }

  /** The kubelet does what it can for each pod of a Job. */
  public void runKubelet() {
    pods.replaceAll((name, pod) -> isOfJob(pod) ? pulled(pod) : pod);
  }

  /** The kubelet evicts the pods of Jobs before it pulls anything. */
  public void evict() {
    pods.replaceAll(
        (name, pod) ->
            isOfJob(pod)
                ? new PodBuilder(pod)
                    .withNewStatus()
                    .withPhase("Failed")
                    .withReason("Evicted")
                    .withMessage("The node was low on resource: ephemeral-storage.")
                    .endStatus()
                    .build()
                : pod);
  }

  /** A user deletes the Jobs. */
  public void deleteJobs() {
    List.copyOf(jobs.keySet()).forEach(this::delete);
  }

  /** A user deletes the Jobs, and the garbage collector is late with their pods. */
  public void deleteJobsBeforePods() {
    for (String name : jobs.keySet()) {
      pods.put("left-" + name, pods.remove(name + "-pod"));
    }
    jobs.clear();
  }

  /** The Jobs run into their deadline, so that their controller deletes their pods. */
  public void expireJobs() {
    fail("DeadlineExceeded", "Job was active longer than specified deadline");
  }

  /** A drain or a user deletes the pods of the Jobs, which fails the Jobs. */
  public void deletePods() {
    fail("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }

  private void fail(String reason, String message) {
    pods.values().removeIf(PullCluster::isOfJob);
    jobs.replaceAll(
        (name, job) ->
            new JobBuilder(job)
                .withNewStatus()
                .addNewCondition()
                .withType("Failed")
                .withStatus("True")
                .withReason(reason)
                .withMessage(message)
                .endCondition()
                .endStatus()
                .build());
  }

  /** The Job controller is late. */
  public void withoutPods() {
    pods.values().removeIf(PullCluster::isOfJob);
  }

  /** Gives a Job another owner. */
  public void disown() {
    jobs.values().forEach(job -> job.getMetadata().getOwnerReferences().get(0).setUid("another"));
  }

  /** The Jobs there are. */
  public List<Job> jobs() {
    return List.copyOf(jobs.values());
  }

  /** The names of all Jobs there ever were. */
  public List<String> names() {
    return List.copyOf(names);
  }

  /** The first images of all Jobs that were created, in their order. */
  public List<String> images() {
    return List.copyOf(images);
  }

  /** The requests of operators so far. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  private static boolean isOfJob(Pod pod) {
    return pod.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner -> owner.getKind().equals("Job"));
  }

  private Pod pulled(Pod pod) {
    List<ContainerStatus> statuses =
        pod.getSpec().getContainers().stream()
            .map(
                container -> {
                  var status = ContainerSample.named(container.getName());
                  String image = container.getImage();
                  if (container.getName().startsWith("gate-")) {
                    return gated(status, files.get(container.getName()));
                  }
                  boolean isThere =
                      onMachine.containsKey(image)
                          && container.getImagePullPolicy().equals("IfNotPresent");
                  String plain = image.replaceFirst("@.*", "");
                  if (!isThere && registryAnswers && registry.containsKey(plain)) {
                    String digest = image.contains("@") ? image : registry.get(plain);
                    onMachine.put(image, plain + "@" + digest.replaceFirst(".*@", ""));
                    isThere = true;
                  }
                  boolean ends = PodShape.inspects(container) && inspection != null;
                  if (isThere && ends) {
                    return status.imageId(onMachine.get(image)).ended(inspection).build();
                  }
                  return isThere
                      ? status.imageId(onMachine.get(image)).running().build()
                      : status
                          .imageId("")
                          .waiting("ErrImagePull", registryAnswers ? "not found" : "i/o timeout")
                          .build();
                })
            .toList();
    return new PodBuilder(pod)
        .withNewStatus()
        .withPhase("Pending")
        .withContainerStatuses(statuses)
        .endStatus()
        .build();
  }

  private static ContainerStatus gated(ContainerSample status, String answer) {
    return answer == null
        ? status
            .imageId("")
            .waiting(
                "CreateContainerConfigError",
                "failed to create subPath directory for volumeMount \"data\" of container \"gate\"")
            .build()
        : status.imageId("sei@sha256:0").ended(End.exit(0, answer)).build();
  }

  /** The parts of a request that were given to the client so far. */
  private record Request(
      Class<?> type, String name, Map<String, String> labels, HasMetadata item) {}

  private <T> T answering(Class<T> type, Request request) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                answer(request, method.getName(), arguments == null ? new Object[0] : arguments)));
  }

  @SuppressWarnings("unchecked")
  private Object answer(Request request, String method, Object[] arguments) {
    return switch (method) {
      case "resources" ->
          answering(
              MixedOperation.class, new Request((Class<?>) arguments[0], null, Map.of(), null));
      case "inNamespace" -> answering(NonNamespaceOperation.class, request);
      case "withName" ->
          answering(
              Resource.class, new Request(request.type(), (String) arguments[0], Map.of(), null));
      case "withLabels" ->
          answering(
              FilterWatchListDeletable.class,
              new Request(request.type(), null, (Map<String, String>) arguments[0], null));
      case "resource" ->
          answering(
              NamespaceableResource.class,
              new Request(null, null, Map.of(), (HasMetadata) arguments[0]));
      case "get" ->
          send(
              "GET " + request.name(),
              () ->
                  request.type() == Job.class
                      ? jobs.get(request.name())
                      : pods.get(request.name()));
      case "list" -> send("LIST", () -> list(request.labels()));
      case "create" ->
          send(
              "POST " + request.item().getMetadata().getName(), () -> create((Job) request.item()));
      case "raw" -> {
        String path = (String) arguments[0];
        String name = path.substring(path.lastIndexOf('/') + 1);
        String uid = ((DeleteOptions) arguments[2]).getPreconditions().getUid();
        yield send("DELETE " + name, () -> deleteUid(name, uid));
      }
      default -> throw new UnsupportedOperationException(method);
    };
  }

  private Object send(String request, Supplier<Object> answer) {
    boolean dies = livesFor-- == 0;
    if (livesFor < -1 || (dies && !diesAfter)) {
      throw new OperatorDied();
    }
    requests.add(request);
    Object answered = answer.get();
    if (dies) {
      throw new OperatorDied();
    }
    return answered;
  }

  private DefaultKubernetesResourceList<Pod> list(Map<String, String> labels) {
    var list = new DefaultKubernetesResourceList<Pod>();
    list.setItems(
        pods.values().stream()
            .filter(
                pod ->
                    pod.getMetadata().getLabels() != null
                        && pod.getMetadata().getLabels().entrySet().containsAll(labels.entrySet()))
            .toList());
    list.setMetadata(new ListMeta());
    return list;
  }

  private Job create(Job rendered) {
    String name = rendered.getMetadata().getName();
    if (denies) {
      throw new KubernetesClientException("denied", HttpURLConnection.HTTP_FORBIDDEN, null);
    }
    if (jobs.containsKey(name)) {
      throw new KubernetesClientException("conflict", HttpURLConnection.HTTP_CONFLICT, null);
    }
    Job job =
        new JobBuilder(rendered).editMetadata().withUid("uid-" + ++uids).endMetadata().build();
    jobs.put(name, job);
    names.add(name);
    images.add(job.getSpec().getTemplate().getSpec().getContainers().get(0).getImage());
    pods.put(
        name + "-pod",
        new PodBuilder()
            .withMetadata(job.getSpec().getTemplate().getMetadata())
            .editMetadata()
            .withName(name + "-pod")
            .addNewOwnerReference()
            .withKind("Job")
            .withName(name)
            .withUid(job.getMetadata().getUid())
            .withController(true)
            .endOwnerReference()
            .endMetadata()
            .withSpec(job.getSpec().getTemplate().getSpec())
            .build());
    return job;
  }

  private String deleteUid(String name, String uid) {
    Job job = jobs.get(name);
    if (job == null) {
      throw new KubernetesClientException("not found", HttpURLConnection.HTTP_NOT_FOUND, null);
    }
    if (!job.getMetadata().getUid().equals(uid)) {
      throw new KubernetesClientException("conflict", HttpURLConnection.HTTP_CONFLICT, null);
    }
    delete(name);
    return "";
  }

  private void delete(String name) {
    jobs.remove(name);
    pods.remove(name + "-pod");
  }
}
