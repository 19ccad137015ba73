package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.OperatorTestCase;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Types the commands of the page on upgrade nights, in their order, on a fleet of one node. */
@Tag("long")
class UpgradeNightCommandsTest extends OperatorTestCase {

  private static final Path PAGE = Path.of("docs", "upgrade-night.md");
  private static final String FLEET = "rpc";

  @Test
  void everyCommandWorksAndTheUpgradeIsListedByThem() throws IOException {
    Page page =
        Page.all().stream()
            .filter(candidate -> candidate.path().equals(PAGE))
            .findFirst()
            .orElseThrow();
    client
        .resource(
            Samples.fleet(
                namespace, FLEET, Samples.fullNodes(1, "ghcr.io/sei-protocol/sei:v6.7.4")))
        .create();
    eventually(() -> assertThat(read(SeiNode.class, FLEET + "-0")).isNotNull());

    for (String command : commands(page)) {
      KubectlResult result = type(command);

      assertThat(result.exitCode())
          .as("%s%n%s", command, result)
          .isLessThanOrEqualTo(command.contains(" sei why ") ? 1 : 0);
    }

    assertThat(read(SeiNodeDeployment.class, FLEET).getSpec().template().spec().upgrades())
        .extracting(Upgrade::name)
        .containsExactly("v6.8");
  }

  private List<String> commands(Page page) {
    Map<String, String> names = new LinkedHashMap<>();
    names.put("NODE", FLEET + "-0");
    names.put("FLEET", FLEET);
    names.put("NS", namespace);
    return Stream.concat(
            PageCommands.typed(page),
            page.spans().stream().filter(span -> span.matches("kubectl .* (NODE|NS)( .*)?")))
        .filter(line -> line.startsWith("kubectl "))
        .map(command -> PageCommands.named(command, names, namespace))
        .toList();
  }

  private KubectlResult type(String command) {
    return controlPlane.callingKubectl(
        KubectlSei.program().getParent().toString(), List.of("/bin/sh", "-c", command));
  }
}
