package io.sei.operator.api;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Stores specs that break a rule before the rule exists; on a control plane of its own. */
public interface StoredBeforeRules {

  /** Makes the API server accept objects that break a rule. */
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
