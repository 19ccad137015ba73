package io.sei.operator.api;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * For tests of specs that were stored before the rule that they break; on a control plane of their
 * own.
 */
public interface StoredBeforeRules {

  /** From now on the API server takes what breaks a rule. */
  @BeforeAll
  static void withoutRules(KubernetesClient client) {
    CrdFile.installWithoutRules(client);
  }

  /** The next class finds the rules in force. */
  @AfterAll
  static void withRules(KubernetesClient client) {
    CrdFile.installAll(client);
  }
}
