package io.sei.operator.kube;

import static io.sei.operator.kube.ApiErrors.isConflict;
import static io.sei.operator.kube.ApiErrors.isNotFound;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.Client;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Listable;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.internal.OperationSupport;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Client of the API server. Every read here is live, never from a cache.
 *
 * <p>All methods throw {@link KubernetesClientException} for answers they do not name, and {@link
 * RefusedException} for one that time alone does not change.
 */
public record KubeApi(KubernetesClient client) {

  /** Finalizer of an object that is deleted with {@code --cascade=orphan}: its dependents stay. */
  public static final String ORPHAN = "orphan";

  /** Answer of the API server to a delete request. */
  public enum DeleteAnswer {
    /** Deleted, or marked for deletion. */
    ACCEPTED,
    /** There was no such object any more. */
    GONE,
    /** The object is not, or no longer, the one that was meant. */
    CHANGED
  }

  /** Deletion of the objects that a deleted one owns. */
  public enum Propagation {
    BACKGROUND("Background"),
    ORPHAN("Orphan");

    private final String policy;

    Propagation(String policy) {
      this.policy = policy;
    }
  }

  /**
   * A trace of Go has some tens of lines for each call; never with a limit of bytes, which cuts off
   * the end.
   */
  private static final int LOG_LINES = 2000;

  /**
   * Reads an object, if it exists. A custom resource may be a stub.
   *
   * @throws RefusedException also if a built-in object cannot be read
   */
  public <T extends HasMetadata> Optional<T> get(Class<T> type, String namespace, String name) {
    return Refusal.named(
            HasMetadata.getKind(type) + " " + name,
            () ->
                Optional.ofNullable(
                    client.resources(type).inNamespace(namespace).withName(name).get()))
        .map(RefusedException::ifUnreadable);
  }

  /**
   * Returns whether a resource is being deleted, or gone. Asked live before something gets it for
   * an owner again, because the watch of the resource may be late: what is orphaned with it would
   * be deleted by the garbage collector.
   */
  public boolean isGoing(HasMetadata resource) {
    ObjectMeta meta = resource.getMetadata();
    return get(resource.getClass(), meta.getNamespace(), meta.getName())
        .filter(live -> live.getMetadata().getUid().equals(meta.getUid()))
        .filter(object -> !object.isMarkedForDeletion())
        .isEmpty();
  }

  /**
   * Returns whether a namespace is being deleted, or gone. Found out without a right to read
   * namespaces: the API server would take no new object.
   *
   * @param labels by which admission policies know an object of ours
   */
  public boolean isNamespaceGoing(String namespace, Map<String, String> labels) {
    var probe =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withGenerateName("probe-")
            .withNamespace(namespace)
            .withLabels(labels)
            .endMetadata()
            .build();
    try {
      client.resource(probe).dryRun().create();
      return false;
    } catch (KubernetesClientException e) {
      boolean says =
          Optional.ofNullable(e.getStatus()).map(Status::getDetails).stream()
              .flatMap(details -> details.getCauses().stream())
              .anyMatch(cause -> "NamespaceTerminating".equals(cause.getReason()));
      return says || isNotFound(e);
    }
  }

  /** Reads an object that is in no namespace, if it exists. */
  public <T extends HasMetadata> Optional<T> get(Class<T> type, String name) {
    return Optional.ofNullable(client.resources(type).withName(name).get())
        .map(RefusedException::ifUnreadable);
  }

  /**
   * Reads Events about the object with this uid, in no particular order.
   *
   * @param limit more than these are not read
   */
  public List<Event> eventsAbout(String uid, String namespace, int limit) {
    return client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.uid", uid)
        .list(new ListOptionsBuilder().withLimit((long) limit).build())
        .getItems();
  }

  /**
   * Reads the end of a container's log.
   *
   * @param previous whether that of the run before the one there is
   * @param maxBytes no more than these, the last ones, are kept
   * @param timeout what was read until then is not returned, but thrown away
   */
  public String endOfLog(
      String namespace,
      String pod,
      String container,
      boolean previous,
      int maxBytes,
      Duration timeout,
      Clock clock) {
    String options = "&previous=%s&tailLines=%d".formatted(previous, LOG_LINES);
    return log(
        namespace, pod, container, options, stream -> LogTail.of(stream, maxBytes, timeout, clock));
  }

  /**
   * Reads the end of the log of a container's newest run, however many lines that is.
   *
   * @param maxBytes no more than these, the last ones, are kept
   * @param timeout what was read until then is not returned, but thrown away
   */
  public String endOfWholeLog(
      String namespace, String pod, String container, int maxBytes, Duration timeout, Clock clock) {
    return log(
        namespace, pod, container, "", stream -> LogTail.of(stream, maxBytes, timeout, clock));
  }

  /**
   * Reads what a container has logged from a moment on.
   *
   * @param previous whether that of the run before the one there is
   * @param since by the clock of the Kubernetes node
   * @param maxBytes no more than these, the first ones, are read
   * @param timeout what was read until then is not returned, but thrown away
   */
  public String logSince(
      String namespace,
      String pod,
      String container,
      boolean previous,
      Instant since,
      int maxBytes,
      Duration timeout,
      Clock clock) {
    Instant from = since.truncatedTo(ChronoUnit.SECONDS);
    String options = "&previous=%s&sinceTime=%s".formatted(previous, from);
    return log(
        namespace,
        pod,
        container,
        options,
        stream -> LogTail.head(stream, maxBytes, timeout, clock));
  }

  /**
   * Reads the beginning of the log of a container's newest run.
   *
   * @param maxBytes no more than these are read
   */
  public String beginningOfLog(
      String namespace, String pod, String container, int maxBytes, Duration timeout, Clock clock) {
    return log(
        namespace,
        pod,
        container,
        "&limitBytes=" + maxBytes,
        stream -> LogTail.head(stream, maxBytes, timeout, clock));
  }

  private String log(
      String namespace, String pod, String container, String options, LogReader reader) {
    String path =
        "api/v1/namespaces/%s/pods/%s/log?container=%s".formatted(namespace, pod, container);
    URI log = URI.create(client.getMasterUrl() + path + options);
    try (InputStream stream = new Raw(client).open(log)) {
      return reader.read(stream);
    } catch (IOException e) {
      throw new KubernetesClientException("the log of " + container + " was cut off", e);
    }
  }

  /** The client's own call for a log first lists and watches the pod, to wait until it is Ready. */
  private static final class Raw extends OperationSupport {

    private Raw(Client client) {
      super(client);
    }

    private InputStream open(URI uri) {
      try {
        return handleRawGet(uri.toURL(), InputStream.class);
      } catch (IOException e) {
        throw new KubernetesClientException("the log is not served: " + e.getMessage(), e);
      }
    }
  }

  /** Makes text of a log. */
  @FunctionalInterface
  private interface LogReader {
    String read(InputStream stream) throws IOException;
  }

  /**
   * Reads the beginning of the last line of a container's log, to see whether that is allowed. A
   * line may be as long as its container makes it.
   *
   * @throws KubernetesClientException with the code 403 if it is not
   */
  public void probeLog(
      String namespace, String pod, String container, Duration timeout, Clock clock) {
    log(
        namespace,
        pod,
        container,
        "&tailLines=1",
        stream -> LogTail.head(stream, 1, timeout, clock));
  }

  /** Reads all objects of a type in a namespace; those that cannot be read are stubs. */
  public <T extends HasMetadata> List<T> list(Class<T> type, String namespace) {
    return list(type, namespace, Map.of());
  }

  /** Reads all objects of a type in a namespace that carry these labels. */
  public <T extends HasMetadata> List<T> list(
      Class<T> type, String namespace, Map<String, String> labels) {
    return pages(
        type, client.resources(type).inNamespace(namespace).withLabels(labels), new ListOptions());
  }

  /** Lists a kind that the API server need not serve; then there are none. */
  public <T extends HasMetadata> List<T> listIfServed(
      Class<T> type, String namespace, Map<String, String> labels) {
    try {
      return list(type, namespace, labels);
    } catch (KubernetesClientException e) {
      if (isNotFound(e)) {
        return List.of();
      }
      throw e;
    }
  }

  /**
   * Reads the objects of a type in a namespace that the options select.
   *
   * @throws KubernetesClientException with the code 404 if the API server does not serve the type
   */
  public <T extends HasMetadata> List<T> list(
      Class<T> type, String namespace, ListOptions options) {
    return pages(type, client.resources(type).inNamespace(namespace), options);
  }

  /** Reads the objects of a type that the options select, in every namespace. */
  public <T extends HasMetadata> List<T> listEverywhere(Class<T> type, ListOptions options) {
    return pages(type, client.resources(type).inAnyNamespace(), options);
  }

  /** Reads a list page by page, as a page is in memory as a whole. */
  private static <T extends HasMetadata> List<T> pages(
      Class<T> type, Listable<? extends KubernetesResourceList<T>> objects, ListOptions options) {
    List<T> items = new ArrayList<>();
    String next = null;
    do {
      ListOptions page =
          new ListOptionsBuilder(options).withLimit(ListPages.SIZE).withContinue(next).build();
      KubernetesResourceList<T> read =
          Refusal.named("a list of " + HasMetadata.getPlural(type), () -> objects.list(page));
      items.addAll(read.getItems());
      next = read.getMetadata().getContinue();
    } while (next != null && !next.isEmpty());
    return items;
  }

  /** Creates an object that is not kept as rendered later on; refused (409) if there is one. */
  public <T extends HasMetadata> T create(T object) {
    return writing(object, () -> client.resource(object).create());
  }

  /** Replaces an object as it was read; refused (409) if it has changed since. */
  public <T extends HasMetadata> T replace(T object) {
    return writing(
        object,
        () ->
            client
                .resource(object)
                .lockResourceVersion(object.getMetadata().getResourceVersion())
                .update());
  }

  /** Server-side apply that takes over fields others own. */
  public <T extends HasMetadata> T apply(T intent, String fieldManager) {
    return writing(
        intent,
        () ->
            client.resource(intent).fieldManager(fieldManager).forceConflicts().serverSideApply());
  }

  /** Server-side apply that is refused (409) where others own a field; right for creating. */
  public <T extends HasMetadata> T applyUnforced(T intent, String fieldManager) {
    return writing(
        intent, () -> client.resource(intent).fieldManager(fieldManager).serverSideApply());
  }

  /**
   * Merge-patches metadata or spec. The patch should carry {@code metadata.resourceVersion}, so
   * that it is refused (409) where the object has changed since it was read.
   */
  public <T extends HasMetadata> T mergePatch(T target, String patch) {
    return writing(
        target, () -> client.resource(target).patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  /**
   * Strategic-merge-patches an object, so that of a list only the entries that are named change.
   * The patch should carry {@code metadata.uid} and {@code metadata.resourceVersion}.
   */
  public <T extends HasMetadata> T strategicPatch(T target, String patch) {
    return writing(
        target,
        () -> client.resource(target).patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch));
  }

  /** Patches a subresource, which lets other fields change than the object itself does. */
  public <T extends HasMetadata> T strategicPatch(T target, String subresource, String patch) {
    return writing(
        target,
        () ->
            client
                .resource(target)
                .subresource(subresource)
                .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch));
  }

  /**
   * Deletes exactly the object that was read: its uid, and its resourceVersion if {@code
   * unchanged}, travel as preconditions. fabric8's own delete can carry only one of them, hence the
   * raw request.
   */
  public DeleteAnswer delete(HasMetadata target, Propagation propagation, boolean unchanged) {
    return delete(target, propagation, unchanged, body -> {});
  }

  /**
   * Deletes an object that may take its time to go.
   *
   * @param leaving is given the object as it is from now on, marked for deletion; not called if it
   *     is gone at once
   */
  @SuppressWarnings("unchecked")
  public <T extends HasMetadata> DeleteAnswer deleteUnchanged(T target, Consumer<T> leaving) {
    return delete(
        target,
        Propagation.BACKGROUND,
        true,
        body -> {
          T answer = (T) client.getKubernetesSerialization().unmarshal(body, target.getClass());
          if (target.getKind().equals(answer.getKind()) && answer.isMarkedForDeletion()) {
            leaving.accept(answer);
          }
        });
  }

  private DeleteAnswer delete(
      HasMetadata target, Propagation propagation, boolean unchanged, Consumer<String> onAnswer) {
    DeleteOptions options =
        new DeleteOptionsBuilder()
            .withPropagationPolicy(propagation.policy)
            .withNewPreconditions()
            .withUid(target.getMetadata().getUid())
            .withResourceVersion(unchanged ? target.getMetadata().getResourceVersion() : null)
            .endPreconditions()
            .build();
    try {
      onAnswer.accept(writing(target, () -> client.raw(ObjectPath.of(target), "DELETE", options)));
      return DeleteAnswer.ACCEPTED;
    } catch (KubernetesClientException e) {
      if (isNotFound(e)) {
        return DeleteAnswer.GONE;
      }
      if (isConflict(e)) {
        return DeleteAnswer.CHANGED;
      }
      throw e;
    }
  }

  private static <T> T writing(HasMetadata object, Supplier<T> write) {
    return Refusal.named(object.getKind() + " " + object.getMetadata().getName(), write);
  }
}
