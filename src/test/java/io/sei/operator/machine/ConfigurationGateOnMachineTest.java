package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.diagnosis.PullReport;
import io.sei.operator.render.GatedFile;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.render.PullJob;
import io.sei.operator.render.PullJobRenderer;
import io.sei.operator.render.PulledImage;
import io.sei.operator.testkit.machine.Chain;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A real kubelet mounts single files of a claim that is read-only in the pod. */
@Tag("long")
@Execution(ExecutionMode.CONCURRENT)
class ConfigurationGateOnMachineTest extends MachineTestCase {

  private static final String MAKE_FILE = "printf '[evm]\\nold = 1\\n' >/.sei/config/there.toml";

  /** With what bash has built in: the image has nothing else. */
  private static final String READ_FILES =
      """
      cd /.sei/config
      for file in *; do
        if [ -f "$file" ]; then printf '%s: %s\\n' "$file" "$(<"$file")"; else printf '%s\\n' "$file"; fi
      done
      """;

  @Test
  void filesAreReadAndMissingOnesReportedAndTheVolumeStaysAsItIs() {
    createNode(Chain.V1.image());
    awaitReady();
    inSeid(MAKE_FILE);
    String before = inSeid(READ_FILES);
    List<String> keys = List.of("evm.old", "evm.new");
    var pull =
        new PullJob(
            "test",
            field("pods", POD, "spec.nodeName"),
            List.of(PulledImage.ofContainer(Names.SEID, Chain.V1.image())),
            Stream.of("there.toml", "missing.toml")
                .map(name -> new GatedFile(name, keys))
                .toList());
    SeiNode node =
        machine.client().resources(SeiNode.class).inNamespace(namespace).withName(NODE).get();
    Pod running = machine.client().pods().inNamespace(namespace).withName(POD).get();

    machine.client().resource(new PullJobRenderer().render(node, pull, running)).create();

    eventually(
        () ->
            assertThat(pods())
                .extracting(pod -> PullReport.of(pull, pod))
                .containsExactly(
                    new PullReport.LookedInto(
                        Map.of(
                            "there.toml",
                            Optional.of(GatedFile.FOUND + "10"),
                            "missing.toml",
                            Optional.empty()))));
    assertThat(inSeid(READ_FILES)).as("byte for byte").isEqualTo(before);
    assertThat(restarts()).as("of the node's seid").isZero();
  }

  private List<Pod> pods() {
    return machine
        .client()
        .pods()
        .inNamespace(namespace)
        .withLabel(Labels.IMAGE_PULL, NODE)
        .list()
        .getItems();
  }

  private String inSeid(String script) {
    return kubectl("exec", POD, "-c", Names.SEID, "--", "/bin/bash", "-c", script);
  }
}
