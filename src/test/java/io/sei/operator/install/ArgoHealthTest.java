package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import party.iroiro.luajava.Lua;
import party.iroiro.luajava.lua54.Lua54;

/**
 * The health and the actions that Argo CD gets from the scripts that we ship, run by a real Lua.
 */
class ArgoHealthTest {

  private static final Path DIRECTORY = Path.of("deploy", "argocd");
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Ready=True=PodReady Stalled=False=NotStalled Reconciling=False=UpToDate | Healthy",
        "Ready=False=PodNotReady Stalled=False=Progressing Reconciling=True=PodNotReady |"
            + " Progressing",
        "Ready=True=PodReady UpToDate=False=Outdated Reconciling=True=Outdated | Progressing",
        "Ready=False=ImagePull Stalled=True=ImagePull Reconciling=False=ImagePull | Degraded",
        "Ready=True=PodReady Stalled=True=RolledBack Reconciling=False=RolledBack | Degraded",
        "Ready=True=PodReady UpToDate=False=ImageBehindUpgrade Reconciling=True=X | Degraded",
        "Ready=False=HaltedAtUpgrade UpToDate=True=UpToDate Reconciling=True=X | Suspended",
        "Ready=False=Held UpToDate=True=UpToDate Reconciling=False=Held | Suspended",
        "Ready=False=Paused Paused=True=Paused Reconciling=False=Paused | Suspended",
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "seinode | {} | restart pause",
        "seinode | {paused: true} | resume",
        "seinodedeployment | {} | restart pause",
        "seinodedeployment | {paused: true} | resume",
        "seinodedeployment | {updateStrategy: {paused: true}} | resume",
      })
  void actionsAreOfferedWhereTheyChangeSomething(String kind, String spec, String offered)
      throws IOException {
    for (String action : List.of("restart", "pause", "resume")) {
      assertThat(isOffered(kind, "{metadata: {}, spec: %s}".formatted(spec), action))
          .as(action)
          .isEqualTo(List.of(offered.split(" ")).contains(action));
    }
  }

  @Test
  void failedTaskIsRetriedUnlessItsTransactionMayBeOnTheChain() throws IOException {
    String failed =
        "{metadata: {}, spec: {}, status: {phase: Failed, conditions: [{type: Failed, reason:"
            + " %s}]}}";
    assertThat(isOffered("seinodetask", failed.formatted("Timeout"), "retry")).isTrue();
    assertThat(isOffered("seinodetask", failed.formatted("InclusionUndetermined"), "retry"))
        .isFalse();
    assertThat(
            isOffered("seinodetask", "{metadata: {}, spec: {}, status: {phase: Running}}", "retry"))
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "seinode | pause | result.spec.paused | true",
        "seinode | resume | result.spec.paused | false",
        "seinode | restart | result.metadata.annotations['sei.io/restart-requested-at'] |"
            + " 20..-..-..T..:..:..Z",
        "seinodedeployment | pause | result.spec.updateStrategy.paused | true",
        "seinodedeployment | pause | result.spec.updateStrategy.type | InPlace",
        "seinodedeployment | pause | result.spec.updateStrategy.inPlace.partition | 2(.0)?",
        "seinodedeployment | resume | result.spec.updateStrategy.paused | false",
        "seinodedeployment | resume | result.spec.paused | false",
        "seinodedeployment | restart | result.metadata.annotations['sei.io/restart-requested-at'] |"
            + " 20..-..-..T..:..:..Z",
        "seinodetask | retry | result[1].operation | create",
        "seinodetask | retry | result[1].resource.kind | X",
        "seinodetask | retry | result[1].resource.metadata.name | name-[0-9]{14}",
        "seinodetask | retry | result[1].resource.spec.updateStrategy.type | InPlace",
      },
      quoteCharacter = '"')
  void actionChangesTheObject(String kind, String action, String field, String value)
      throws IOException {
    String object =
        "{kind: X, metadata: {name: name}, spec: {updateStrategy: {type: InPlace, inPlace:"
            + " {partition: 2}}}}";

    assertThat(run(object, definition(kind, action), field)).matches(value);
  }

  private static boolean isOffered(String kind, String object, String action) throws IOException {
    String discovery = actions(kind).path("discovery.lua").asText();
    return run(object, discovery, "result." + action + ".disabled").equals("false");
  }

  private static String definition(String kind, String action) throws IOException {
    for (JsonNode definition : actions(kind).path("definitions")) {
      if (definition.path("name").asText().equals(action)) {
        return definition.path("action.lua").asText();
      }
    }
    throw new AssertionError(action);
  }

  private static JsonNode actions(String kind) throws IOException {
    return YAML.readTree(DIRECTORY.resolve(kind + "-actions.yaml").toFile());
  }

  /** A field of the result of a script. */
  private static String run(String object, String script, String field) throws IOException {
    try (Lua lua = new Lua54()) {
      lua.openLibraries();
      lua.push(YAML.convertValue(YAML.readTree(object), Map.class), Lua.Conversion.FULL);
      lua.setGlobal("obj");
      lua.load(
          "local result = (function()\n%s\nend)()\nreturn tostring(%s)".formatted(script, field));
      lua.pCall(0, 1);
      return lua.toString(-1);
    }
  }

  private static String health(Map<?, ?> status, int generation) throws IOException {
    try (Lua lua = new Lua54()) {
      lua.openLibraries();
      lua.push(
          Map.of("metadata", Map.of("generation", generation), "status", status),
          Lua.Conversion.FULL);
      lua.setGlobal("obj");
      lua.load(Files.readString(DIRECTORY.resolve("health.lua")));
      lua.pCall(0, 1);
      Map<?, ?> health = lua.toMap(-1);
      return health.get("status") + ": " + health.get("message");
    }
  }
}
