package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SigningRecord;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.node.ValidatorTestCase;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Types the commands of each section of docs/machines.md in their order, in the state that the
 * section is for. Only the deletion of the machine, which is the simulated kubelet's, is a dry run.
 */
class MachinesPageTest extends ValidatorTestCase {

  private static final Path PAGE = Path.of("docs", "machines.md");
  private static final String NODE = "rpc";
  private static final String VALIDATOR = "val";

  @Override
  protected void startOperator() throws Exception {
    startWithRecords();
  }

  /** The image is changed while the machine is cordoned, and comes with the drain. */
  @Tag("long")
  @Test
  void nodeIsDrainedReplacedAndLost() throws Exception {
    create(NODE, spec(A));
    awaitRunning(NODE);
    List<String> drain = commands("Drain a machine", false);
    type(NODE, drain.subList(0, 1));
    String before = pod(NODE).getMetadata().getUid();
    patch(node(NODE), "{'spec':{'image':'%s'}}".formatted(B));
    eventually(
        () ->
            assertThat(node(NODE).getStatus().plan().currentTask().orElseThrow())
                .matches(task -> task.waitsFor(TaskReason.MACHINE_LEAVING)));
    assertThat(pod(NODE).getMetadata().getUid()).isEqualTo(before);
    assertThat(says(NODE, NodeConditionType.READY)).isEqualTo("True/PodReady");

    type(NODE, drain.subList(1, drain.size()));

    assertThat(node(NODE).getStatus().currentImage()).isEqualTo(B);
    List<String> replace = commands("Replace a machine", false);
    type(NODE, replace);
    type(NODE, List.of("kubectl uncordon KUBE_NODE"));
    awaitRunning(NODE);

    kubelet.loseNode();
    eventually(() -> assertThat(says(NODE, NodeConditionType.READY)).isEqualTo("False/NodeLost"));
    List<String> lose = commands("Lose a machine", false);
    assertThat(type(NODE, lose.subList(0, 1)))
        .contains("machine " + kubelet.nodeName() + " is lost since ");
    type(NODE, lose.subList(1, 3));
    kubelet.recoverNode();
    type(NODE, lose.subList(3, lose.size()));
    awaitRunning(NODE);
  }

  @Tag("long")
  @Test
  void validatorIsDrainedReplacedAndLost() throws Exception {
    putOwnKey(namespace, KEY);
    createValidator(VALIDATOR);
    awaitRunning(VALIDATOR);
    String before = pod(VALIDATOR).getMetadata().getUid();

    type(VALIDATOR, commands("Drain a machine", true));

    assertThat(pod(VALIDATOR).getMetadata().getUid()).isNotEqualTo(before);
    awaitRunning(VALIDATOR);
    type(VALIDATOR, commands("Replace a machine", true));
    patch(node(VALIDATOR), "{'spec':{'maintenance':null}}");
    awaitRunning(VALIDATOR);
    String said = type(VALIDATOR, commands("Lose a machine", true));
    SigningRecord record = node(VALIDATOR).getStatus().signingRecord();
    assertThat(said).contains(record.name() + " " + record.podUid());
  }

  /** The commands of a section, or of its part for validators. */
  private static List<String> commands(String heading, boolean ofValidator) throws Exception {
    String page = Files.readString(PAGE);
    String section = page.substring(page.indexOf("## " + heading) + 3);
    int next = section.indexOf("\n## ");
    String[] parts =
        (next < 0 ? section : section.substring(0, next)).split("[*]{2}With a validator[.][*]{2}");
    return PageCommands.typed(Page.parse(PAGE, parts[ofValidator ? 1 : 0])).toList();
  }

  private String type(String node, List<String> commands) {
    var said = new ArrayList<String>();
    for (String command : commands) {
      KubectlResult result = sh(named(node, command));
      boolean isWhy = command.startsWith("kubectl sei why ");
      assertThat(result.exitCode())
          .as("%s: %s%s", command, result.stdout(), result.stderr())
          .isEqualTo(isWhy ? 1 : 0);
      said.add(result.stdout());
    }
    assertThat(commands).isNotEmpty();
    return String.join("\n", said);
  }

  private String named(String node, String command) {
    Map<String, String> names = new LinkedHashMap<>();
    names.put("KUBE_NODE", kubelet.nodeName());
    names.put("NODE", node);
    names.put("NS", namespace);
    SigningRecord record = node(node).getStatus().signingRecord();
    if (record != null) {
      names.put("DIGEST", record.name());
      names.put("UID", record.podUid());
    }
    String named = PageCommands.named(command, names, namespace).replace("=15m", "=60s");
    return named.contains(" delete node ") ? named + " --dry-run=server" : named;
  }

  private KubectlResult sh(String command) {
    return controlPlane.callingKubectl(
        KubectlSei.program().getParent().toString(), List.of("/bin/sh", "-c", command));
  }
}
