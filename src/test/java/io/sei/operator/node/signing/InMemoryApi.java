package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.DefaultKubernetesResourceList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListMeta;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.AnyNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.NamespaceableResource;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.kube.KubeApi;
import java.lang.reflect.Proxy;
import java.net.HttpURLConnection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The requests about signing keys that an API server answers, with its versions and refusals: for
 * tests of every order in which they may come. Only SeiSigningKeys are written; a patch of a claim
 * changes nothing.
 */
final class InMemoryApi {

  private final Map<String, HasMetadata> objects = new TreeMap<>();
  private final Set<String> namespaces;
  private final Consumer<String> request;
  private final Set<Class<?>> forbidden = new HashSet<>();
  private long version;

  /**
   * @param namespaces whose objects may be read; empty for all
   * @param request is called with each request about a SeiSigningKey before it is answered
   */
  InMemoryApi(Set<String> namespaces, Consumer<String> request) {
    this.namespaces = namespaces;
    this.request = request;
  }

  /** The parts of a request that were given to the client so far. */
  private record Said(
      Class<?> type, String namespace, String name, HasMetadata item, String version) {}

  KubeApi api() {
    return new KubeApi(answering(KubernetesClient.class, new Said(null, null, null, null, null)));
  }

  /** Answers requests for objects of a kind by 403. */
  void forbid(Class<?> kind) {
    forbidden.add(kind);
  }

  /** An index of keys in this API, for which no kubelet has reported the end of a pod. */
  KeyUsageIndex usage(Set<String> seen) {
    return new KeyUsageIndex(
        api(), seen, new LastPods(api(), podUid -> false, new PerObjectState<>()));
  }

  void put(HasMetadata object) {
    objects.put(key(object.getClass(), object.getMetadata()), object);
  }

  /** The records there are, by name. */
  Stream<SeiSigningKey> records() {
    return objects.values().stream()
        .filter(SeiSigningKey.class::isInstance)
        .map(SeiSigningKey.class::cast);
  }

  private static String key(Class<?> type, ObjectMeta meta) {
    return key(type, meta.getNamespace(), meta.getName());
  }

  private static String key(Class<?> type, String namespace, String name) {
    return type.getSimpleName() + "/" + namespace + "/" + name;
  }

  private <T> T answering(Class<T> type, Said said) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                answer(said, method.getName(), arguments == null ? new Object[0] : arguments)));
  }

  private Object answer(Said said, String method, Object[] arguments) {
    return switch (method) {
      case "resources" ->
          answering(
              MixedOperation.class, new Said((Class<?>) arguments[0], null, null, null, null));
      case "inNamespace" ->
          answering(
              NonNamespaceOperation.class,
              new Said(said.type(), (String) arguments[0], null, null, null));
      case "withLabels" -> answering(FilterWatchListDeletable.class, said);
      case "inAnyNamespace" -> answering(AnyNamespaceOperation.class, said);
      case "withName" ->
          answering(
              Resource.class,
              new Said(said.type(), said.namespace(), (String) arguments[0], null, null));
      case "resource" ->
          answering(
              NamespaceableResource.class,
              new Said(null, null, null, (HasMetadata) arguments[0], null));
      case "lockResourceVersion" ->
          answering(Resource.class, new Said(null, null, null, said.item(), (String) arguments[0]));
      case "get" -> get(said);
      case "list" -> list(said, (ListOptions) arguments[0]);
      case "create" -> write(said, false);
      case "update" -> write(said, true);
      case "patch" -> said.item();
      default -> throw new UnsupportedOperationException(method);
    };
  }

  private HasMetadata get(Said said) {
    ask(said.type(), "get " + said.name());
    boolean isRefused = said.namespace() != null && !isAllowed(said.namespace());
    if (isRefused || forbidden.contains(said.type())) {
      throw new KubernetesClientException("forbidden", HttpURLConnection.HTTP_FORBIDDEN, null);
    }
    return copied(objects.get(key(said.type(), said.namespace(), said.name())));
  }

  private DefaultKubernetesResourceList<HasMetadata> list(Said said, ListOptions options) {
    Optional<String[]> label =
        Optional.ofNullable(options.getLabelSelector()).map(selector -> selector.split("=", 2));
    List<HasMetadata> found =
        objects.values().stream()
            .filter(said.type()::isInstance)
            .filter(
                object ->
                    said.namespace() == null
                        || said.namespace().equals(object.getMetadata().getNamespace()))
            .filter(
                object ->
                    label.isEmpty()
                        || (object.getMetadata().getLabels() != null
                            && label.get()[1].equals(
                                object.getMetadata().getLabels().get(label.get()[0]))))
            .map(InMemoryApi::copied)
            .toList();
    var list = new DefaultKubernetesResourceList<HasMetadata>();
    list.setItems(found);
    list.setMetadata(new ListMeta());
    return list;
  }

  private HasMetadata write(Said said, boolean replaces) {
    var written = (SeiSigningKey) said.item();
    ask(SeiSigningKey.class, (replaces ? "replace " : "create ") + written.getMetadata().getName());
    String key = key(SeiSigningKey.class, written.getMetadata());
    HasMetadata before = objects.get(key);
    if (replaces && before == null) {
      throw new KubernetesClientException("not found", HttpURLConnection.HTTP_NOT_FOUND, null);
    }
    boolean isCurrent =
        replaces
            ? before.getMetadata().getResourceVersion().equals(said.version())
            : before == null;
    if (!isCurrent) {
      throw new KubernetesClientException("conflict", HttpURLConnection.HTTP_CONFLICT, null);
    }
    SeiSigningKey stored = copied(written);
    stored.getMetadata().setResourceVersion(String.valueOf(++version));
    boolean goes = stored.isMarkedForDeletion() && stored.getMetadata().getFinalizers().isEmpty();
    if (goes) {
      objects.remove(key);
    } else {
      objects.put(key, stored);
    }
    return copied(stored);
  }

  private void ask(Class<?> type, String what) {
    if (type == SeiSigningKey.class) {
      request.accept(what);
    }
  }

  private boolean isAllowed(String namespace) {
    return namespaces.isEmpty() || namespaces.contains(namespace);
  }

  /** Callers change only the records that they have read, so those are copied. */
  @SuppressWarnings("unchecked")
  private static <T extends HasMetadata> T copied(T object) {
    if (!(object instanceof SeiSigningKey record)) {
      return object;
    }
    var copy = new SeiSigningKey();
    copy.setMetadata(new ObjectMetaBuilder(record.getMetadata()).build());
    copy.setSpec(record.getSpec());
    return (T) copy;
  }
}
