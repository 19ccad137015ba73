package io.sei.operator.testkit;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.ResourceQuotaStatus;
import io.fabric8.kubernetes.api.model.ResourceQuotaStatusBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;

/**
 * Forbids objects in a namespace, like an administrator. A method returns when what it changed is
 * in force.
 *
 * @param client acts as an administrator of the cluster
 */
public record Denials(KubernetesClient client, String namespace) {

  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final String QUOTA = "denied";
  private static final String PROBE = "probe";

  /** The operator makes no Secrets, so they show whether a quota is in force. */
  private static final String PROBED = "secrets";

  /** The answers an admission policy may give: 422 if its author chose none, and 403. */
  public enum Answer {
    INVALID(null),
    FORBIDDEN("Forbidden");

    private final String reason;

    Answer(String reason) {
      this.reason = reason;
    }
  }

  /**
   * Forbids operations on the object of a name by an admission policy.
   *
   * @param resource in plural, of whatever group; with its subresource, such as {@code
   *     statefulsets/status}, that alone
   * @param operations such as {@code CREATE}
   */
  public void deny(String resource, String name, Answer answer, String... operations) {
    client.resource(policy(resource, name, answer, List.of(operations))).create();
    client.resource(binding(resource)).create();
    await().until(() -> isRefused(configMap(resource)));
  }

  /** Takes the policy on a resource back. */
  public void allow(String resource) {
    client.resource(binding(resource)).delete();
    client.resource(policy(resource, "", Answer.INVALID, List.of("CREATE"))).delete();
    await().until(() -> !isRefused(configMap(resource)));
  }

  /** Forbids any of a resource by a quota, such as {@code pods} or {@code requests.storage}. */
  public void forbidAny(String resource) {
    client
        .resource(
            new ResourceQuotaBuilder()
                .withMetadata(metadata(QUOTA))
                .withNewSpec()
                .withHard(hard(resource, "0"))
                .endSpec()
                .build())
        .create();
    setStatus(resource, "0");
    await().until(() -> isRefused(secret()));
  }

  /** Raises the quota far above what anybody needs. */
  public void raiseQuota(String resource) {
    client
        .resource(quota())
        .patch(MERGE, json(Map.of("spec", Map.of("hard", hard(resource, "1000Gi")))));
    setStatus(resource, "1000Gi");
    await().until(() -> !isRefused(secret()));
  }

  /** Deletes the quota. */
  public void removeQuota() {
    client.resource(quota()).delete();
    await().until(() -> !isRefused(secret()));
  }

  /** Quotas count from their status, which the controller that writes it here is not run for. */
  private void setStatus(String resource, String limit) {
    ResourceQuotaStatus status =
        new ResourceQuotaStatusBuilder()
            .withHard(hard(resource, limit))
            .withUsed(hard(resource, "0"))
            .build();
    client.resource(quota()).subresource("status").patch(MERGE, json(Map.of("status", status)));
  }

  private static Map<String, Quantity> hard(String resource, String limit) {
    return Map.of(resource, new Quantity(limit), PROBED, new Quantity(limit));
  }

  private ResourceQuota quota() {
    return new ResourceQuotaBuilder().withMetadata(metadata(QUOTA)).build();
  }

  private ValidatingAdmissionPolicy policy(
      String resource, String name, Answer answer, List<String> operations) {
    return new ValidatingAdmissionPolicyBuilder()
        .withNewMetadata()
        .withName(policyName(resource))
        .endMetadata()
        .withNewSpec()
        .withFailurePolicy("Fail")
        .withNewMatchConstraints()
        .addNewResourceRule()
        .withApiGroups("*")
        .withApiVersions("*")
        .withOperations(operations)
        .withResources(resource)
        .endResourceRule()
        .addNewResourceRule()
        .withApiGroups("")
        .withApiVersions("v1")
        .withOperations("CREATE")
        .withResources("configmaps")
        .endResourceRule()
        .endMatchConstraints()
        .addNewValidation()
        .withExpression(
            "!(%s && request.name == '%s') && request.name != '%s'"
                .formatted(isOf(resource), name, probe(resource)))
        .withMessage("the platform team says no")
        .withReason(answer.reason)
        .endValidation()
        .endSpec()
        .build();
  }

  private static String isOf(String resource) {
    String[] parts = resource.split("/");
    String whole = "request.resource.resource == '" + parts[0] + "'";
    return parts.length == 1
        ? whole
        : "%s && has(request.subResource) && request.subResource == '%s'"
            .formatted(whole, parts[1]);
  }

  private static String probe(String resource) {
    return PROBE + "-" + resource.replace('/', '-');
  }

  private ValidatingAdmissionPolicyBinding binding(String resource) {
    return new ValidatingAdmissionPolicyBindingBuilder()
        .withNewMetadata()
        .withName(policyName(resource))
        .endMetadata()
        .withNewSpec()
        .withPolicyName(policyName(resource))
        .withValidationActions("Deny")
        .withNewMatchResources()
        .withNewNamespaceSelector()
        .addToMatchLabels("kubernetes.io/metadata.name", namespace)
        .endNamespaceSelector()
        .endMatchResources()
        .endSpec()
        .build();
  }

  private String policyName(String resource) {
    return namespace + "-" + resource.replace('/', '-');
  }

  private HasMetadata configMap(String resource) {
    return new ConfigMapBuilder().withMetadata(metadata(probe(resource))).build();
  }

  private HasMetadata secret() {
    return new SecretBuilder().withMetadata(metadata(PROBE)).build();
  }

  private boolean isRefused(HasMetadata probe) {
    try {
      client.resource(probe).dryRun().create();
      return false;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN || e.getCode() == 422) {
        return true;
      }
      throw e;
    }
  }

  private String json(Object value) {
    return client.getKubernetesSerialization().asJson(value);
  }

  private ObjectMeta metadata(String name) {
    return new ObjectMetaBuilder().withNamespace(namespace).withName(name).build();
  }
}
