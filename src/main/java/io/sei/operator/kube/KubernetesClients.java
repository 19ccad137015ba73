package io.sei.operator.kube;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.impl.BaseClient;
import io.fabric8.kubernetes.client.impl.KubernetesClientImpl;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Utils;
import io.sei.operator.base.Json;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Makes clients that read what the operator must be able to read. */
public final class KubernetesClients {

  /** Environment variables that would make the client library trust any certificate. */
  private static final List<String> TRUST_ANYBODY =
      List.of(
          Config.KUBERNETES_TRUST_CERT_SYSTEM_PROPERTY,
          Config.KUBERNETES_DISABLE_HOSTNAME_VERIFICATION_SYSTEM_PROPERTY);

  /** One for all clients, since Jackson takes half a second to learn what the classes look like. */
  private static final KubernetesSerialization SERIALIZATION = newSerialization();

  /** Name of this program to the API server, which makes it the field manager of its updates. */
  public static final String USER_AGENT = "sei-operator";

  /** Time for which an API server that has just started may deny what it allows later. */
  private static final Duration SETTLING = Duration.ofSeconds(10);

  private KubernetesClients() {}

  /**
   * Returns the address of the API server and the operator's credentials: from a kubeconfig, or in
   * a pod from its ServiceAccount. Only a kubeconfig can say that the server's certificate is not
   * verified.
   *
   * @throws IllegalStateException if the environment says so
   */
  public static Config config() {
    for (String property : TRUST_ANYBODY) {
      if (Utils.getSystemPropertyOrEnvVar(property, false)) {
        throw new IllegalStateException(
            "%s is set, which would disable verification of the API server's certificate"
                .formatted(Utils.convertSystemPropertyNameToEnvVar(property)));
      }
    }
    return Config.autoConfigure(null);
  }

  /** A client with the operator's timeouts. */
  public static KubernetesClient create(Config config) {
    return builder(config).build();
  }

  /** A builder of clients with the operator's timeouts. */
  public static KubernetesClientBuilder builder(Config config) {
    return new KubernetesClientBuilder()
        .withConfig(tuned(config))
        .withKubernetesSerialization(SERIALIZATION);
  }

  /**
   * A client that watches reliably and gives an API server time to start.
   *
   * @param monitor renews watches that are silent
   * @param http adds to the HTTP client
   */
  public static KubernetesClient create(
      Config config, WatchMonitor monitor, Consumer<HttpClient.Builder> http) {
    Config tuned = tuned(config);
    HttpClient.Builder builder = new JdkHttpClientFactory().newBuilder(tuned);
    var start = new ApiServerStart(monitor.clock(), SETTLING);
    builder.addOrReplaceInterceptor("api-server-start", start);
    http.accept(builder);
    return new KubernetesClientImpl(
        new MonitoredHttpClient(builder.build(), monitor, start),
        tuned,
        BaseClient.DEFAULT_EXECUTOR_SUPPLIER,
        SERIALIZATION);
  }

  /** Limits a request to 10 s and three retries. */
  private static Config tuned(Config config) {
    return new ConfigBuilder(config)
        .withRequestRetryBackoffLimit(3)
        .withRequestTimeout(10_000)
        .withHttp2Disable(true)
        .withMaxConcurrentRequests(128)
        .withMaxConcurrentRequestsPerHost(128)
        .withUserAgent(USER_AGENT)
        .build();
  }

  /**
   * One object that cannot be read would stop its informer and with it the process, so unknown
   * fields are ignored, unknown enum values read as null, what only a lenient schema lets through
   * reads as {@link LenientReading} says, and what cannot be read at all becomes a stub ({@link
   * ResourceReading}).
   */
  public static KubernetesSerialization serialization() {
    return SERIALIZATION;
  }

  /** Left out: managedFields are large and unused here, and an apply with them is refused (400). */
  @JsonIgnoreProperties("managedFields")
  private interface WithoutManagedFields {}

  private static KubernetesSerialization newSerialization() {
    ObjectMapper mapper =
        Json.ofApiServer()
            .addMixIn(ObjectMeta.class, WithoutManagedFields.class)
            .setSerializationInclusion(JsonInclude.Include.NON_NULL)
            .configure(SerializationFeature.FAIL_ON_EMPTY_BEANS, false)
            .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false)
            .configure(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL, true);
    var serialization = new KubernetesSerialization(mapper, true);
    // Afterwards, for what is registered last is asked first.
    ResourceReading.register(mapper, serialization);
    LenientReading.register(mapper);
    mapper.registerModule(SharedStrings.module());
    return serialization;
  }
}
