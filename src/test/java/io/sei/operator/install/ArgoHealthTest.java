package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import party.iroiro.luajava.Lua;
import party.iroiro.luajava.lua54.Lua54;

/** What Argo CD is told of nodes and fleets by the script that we ship, run by a real Lua. */
class ArgoHealthTest {

  private static final Path SCRIPT = Path.of("deploy", "argocd", "health.lua");
  private static final Path STATUSES = Path.of("src", "test", "resources", "stored-statuses");
  private static final ObjectMapper JSON = new ObjectMapper();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Ready=True=PodReady UpToDate=True=UpToDate Stalled=False=NotStalled | Healthy",
        "Ready=False=PodNotReady UpToDate=True=UpToDate Stalled=False=Progressing | Progressing",
        "Ready=True=PodReady UpToDate=False=Outdated Stalled=False=Progressing | Progressing",
        "Ready=False=ImagePull UpToDate=False=PlanActive Stalled=True=ImagePull | Degraded",
        "Ready=True=PodReady UpToDate=False=RolledBack Stalled=False=NotStalled | Degraded",
        "Ready=False=InvalidSpec UpToDate=False=InvalidSpec Stalled=False=NotStalled | Degraded",
        "Ready=True=PodReady UpToDate=False=ImageBehindUpgrade Stalled=False=NotStalled | Degraded",
        "Ready=False=HaltedAtUpgrade UpToDate=True=UpToDate Stalled=False=NotStalled | Suspended",
        "Ready=False=Held UpToDate=True=UpToDate Stalled=False=NotStalled | Suspended",
        "Ready=False=Paused UpToDate=False=Paused Stalled=False=NotStalled Paused=True=Paused |"
            + " Suspended",
        "'' | Progressing",
      })
  void conditionsSayTheHealth(String conditions, String health) throws IOException {
    List<Map<String, Object>> list = new ArrayList<>();
    for (String condition : conditions.isEmpty() ? new String[0] : conditions.split(" ")) {
      String[] parts = condition.split("=");
      list.add(
          Map.of(
              "type", parts[0], "status", parts[1], "reason", parts[2], "observedGeneration", 2));
    }

    assertThat(health(Map.of("conditions", list), 2)).startsWith(health + ": ");
    assertThat(health(Map.of("conditions", list), 3))
        .as("nothing of it was said of the newest spec")
        .startsWith("Progressing: ");
  }

  /** Otherwise Argo CD fails the very sync that corrects the node. */
  @Test
  void phaseOfAnOlderSpecDoesNotCount() throws IOException {
    Map<String, Object> failed =
        Map.of(
            "phase",
            "Failed",
            "conditions",
            List.of(
                Map.of(
                    "type", "Ready", "status", "False", "reason", "X", "observedGeneration", 1)));

    assertThat(health(failed, 1)).startsWith("Degraded: ");
    assertThat(health(failed, 2)).startsWith("Progressing: ");
  }

  @Test
  void everyStoredStatusHasTheHealthThatItsConditionsSay() throws IOException {
    List<String> seen = new ArrayList<>();
    try (Stream<Path> files = Files.walk(STATUSES)) {
      for (Path file : files.filter(it -> it.toString().endsWith(".json")).sorted().toList()) {
        for (JsonNode ofKind : JSON.readTree(file.toFile())) {
          for (JsonNode status : ofKind) {
            seen.add(
                health(JSON.convertValue(status, Map.class), 1).replaceFirst(": .+", "")
                    + " "
                    + status.path("phase").asText());
          }
        }
      }
    }

    assertThat(seen)
        .contains("Healthy Running", "Progressing Upgrading", "Suspended Paused")
        .contains("Progressing Initializing", "Degraded Running");
  }

  private static String health(Map<?, ?> status, int generation) throws IOException {
    try (Lua lua = new Lua54()) {
      lua.openLibraries();
      lua.push(
          Map.of("metadata", Map.of("generation", generation), "status", status),
          Lua.Conversion.FULL);
      lua.setGlobal("obj");
      lua.load(Files.readString(SCRIPT));
      lua.pCall(0, 1);
      Map<?, ?> health = lua.toMap(-1);
      return health.get("status") + ": " + health.get("message");
    }
  }
}
