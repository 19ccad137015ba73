package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sei.operator.render.KeyMaterial;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a kubelet mounts when a container restarts after its Secret was changed. */
@Execution(ExecutionMode.CONCURRENT)
class SigningKeyOnMachineTest extends MachineTestCase {

  private static final String V1 = Chain.V1.image();
  private static final String SIGNING = "signing";
  private static final String IDENTITY = "identity";

  @Test
  @Tag("long")
  void seidDoesNotSignWithAKeyThatWasSwappedUnderIt() throws IOException {
    apply(Manifests.node(NODE, V1).replace("fullNode: {}", "validator: {}"));
    awaitBlocks(V1);
    String key = config(KeyMaterial.SIGNING_KEY_FILE);
    createSecret(SIGNING, KeyMaterial.SIGNING_KEY_FILE, key);
    createSecret(IDENTITY, KeyMaterial.NODE_KEY_FILE, config(KeyMaterial.NODE_KEY_FILE));
    patch(
        """
        {"spec":{"validator":{"signingKey":{"secret":{"secretName":"%s"}},
        "nodeKey":{"secret":{"secretName":"%s"}}}}}"""
            .formatted(SIGNING, IDENTITY));
    eventually(() -> assertThat(status("status.signingPublicKey")).isNotEmpty());
    awaitBlocks(V1);
    String pod = podUid();
    assertThat(seid("spec.containers", "env[?(@.name=='SEI_SIGNING_PUBLIC_KEY')].value"))
        .isEqualTo(status("status.signingPublicKey"));

    put(ThrowAwayKeys.SIGNING_KEY);
    // The kubelet brings a Secret that was changed to its volume within a minute or so.
    eventually(
        () -> {
          if (!exitCode().equals("78")) {
            signal("KILL", "seid");
          }
          assertThat(exitCode()).isEqualTo("78");
        });
    eventually(
        () ->
            assertThat(message("Ready") + message("Stalled"))
                .contains("the mounted signing key is not the one this pod was started for"));
    assertThat(podUid()).isEqualTo(pod);

    put(key);

    awaitReady();
    awaitHeight(POD, awaitHeight(POD, 1) + 1);
    assertThat(podUid()).isEqualTo(pod);
  }

  private String exitCode() {
    return seid("status.containerStatuses", "lastState.terminated.exitCode");
  }

  private String config(String file) {
    return kubectl("exec", POD, "-c", "seid", "--", "/bin/bash", "-c", "cat /.sei/config/" + file);
  }

  private void createSecret(String name, String file, String content) throws IOException {
    var path = Files.writeString(directory.resolve(name), content);
    kubectl("create", "secret", "generic", name, "--from-file=" + file + "=" + path);
  }

  private void put(String key) {
    var patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("stringData").put(KeyMaterial.SIGNING_KEY_FILE, key);
    kubectl("patch", "secret", SIGNING, "--type=merge", "-p", patch.toString());
  }
}
