package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Chains that run: those of witnesses over HTTP, and that of the pod by the transactions of a seid
 * in the sidecar's own image, signed with the keyring that the environment names.
 */
final class ChainsOfPod implements SidecarChains {

  private static final int TIMEOUT_MILLIS = 10_000;
  private static final String HOME = "/tmp/seid";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final SidecarEnvironment environment;

  ChainsOfPod(SidecarEnvironment environment) {
    this.environment = environment;
  }

  @Override
  public OptionalLong latest(String witness) {
    return get(witness, "status")
        .map(json -> json.findValue("latest_block_height"))
        .map(json -> OptionalLong.of(json.asLong()))
        .orElseGet(OptionalLong::empty);
  }

  @Override
  public Optional<String> hash(String witness, long height) {
    return get(witness, "block?height=" + height)
        .map(json -> json.findValue("block_id"))
        .map(json -> json.path("hash").asText());
  }

  private static Optional<JsonNode> get(String witness, String path) {
    try {
      URI uri = URI.create("http://" + witness + "/" + path);
      var connection = (HttpURLConnection) uri.toURL().openConnection();
      connection.setConnectTimeout(TIMEOUT_MILLIS);
      connection.setReadTimeout(TIMEOUT_MILLIS);
      try (InputStream body = connection.getInputStream()) {
        return Optional.of(JSON.readTree(body));
      }
    } catch (IOException | IllegalArgumentException unreachable) {
      return Optional.empty();
    }
  }

  @Override
  public JsonNode include(SidecarTask transaction) {
    JsonNode params = transaction.params();
    var command = new ArrayList<>(List.of("seid", "tx"));
    command.addAll(words(transaction.type(), params));
    // The real one puts the task's id there too.
    String memo = (params.path("memo").asText() + " taskID=" + transaction.id()).strip();
    add(command, "--from", params.path("keyName").asText());
    add(command, "--chain-id", params.path("chainId").asText());
    add(command, "--fees", params.path("fees").asText());
    add(command, "--gas", params.path("gas").asText());
    add(command, "--note", memo);
    add(command, "--keyring-backend", environment.get(SidecarEnvironment.KEYRING_BACKEND, "test"));
    add(command, "--keyring-dir", environment.get("SEI_KEYRING_DIR", HOME));
    add(command, "--broadcast-mode", "block");
    add(command, "--output", "json");
    add(command, "--home", HOME);
    command.add("--yes");
    return result(transaction.type(), run(command));
  }

  private static List<String> words(String type, JsonNode params) {
    return switch (type) {
      case "gov-vote" ->
          List.of(
              "gov", "vote", params.path("proposalId").asText(), params.path("option").asText());
      case "gov-software-upgrade" -> {
        var words = new ArrayList<>(List.of("gov", "submit-proposal", "software-upgrade"));
        words.add(params.path("upgradeName").asText());
        add(words, "--upgrade-height", params.path("upgradeHeight").asText());
        add(words, "--upgrade-info", params.path("upgradeInfo").asText());
        add(words, "--title", params.path("title").asText());
        add(words, "--description", params.path("description").asText());
        add(words, "--deposit", params.path("initialDeposit").asText());
        yield words;
      }
      case "unjail" -> List.of("slashing", "unjail");
      default -> throw new TaskFailure(type + ": the chain of the tests has no such transaction");
    };
  }

  private static void add(List<String> words, String option, String value) {
    words.add(option);
    words.add(value);
  }

  private static JsonNode run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).start();
      process.getOutputStream().close();
      String said = new String(process.getInputStream().readAllBytes());
      String errors = new String(process.getErrorStream().readAllBytes());
      if (process.waitFor() != 0) {
        throw new TaskFailure(errors.lines().findFirst().orElse("no words"));
      }
      return JSON.readTree(said);
    } catch (IOException e) {
      throw new TaskFailure(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TaskFailure("interrupted");
    }
  }

  private static JsonNode result(String type, JsonNode answer) {
    long height = answer.path("height").asLong();
    int code = answer.path("code").asInt();
    if (height == 0) {
      throw new TaskFailure("%s: broadcast: %s".formatted(type, answer.path("raw_log").asText()));
    }
    return JsonNodeFactory.instance
        .objectNode()
        .put("txHash", answer.path("txhash").asText())
        .put("height", height)
        .put("proposalId", proposal(answer))
        .put("code", code)
        .put("codespace", answer.path("codespace").asText())
        .put("rawLog", answer.path("raw_log").asText())
        .put("inclusionStatus", code == 0 ? "committed_ok" : "committed_failed");
  }

  /** 0 where there is none. */
  private static long proposal(JsonNode answer) {
    for (JsonNode event : answer.findValues("attributes")) {
      for (JsonNode attribute : event) {
        if (attribute.path("key").asText().equals("proposal_id")) {
          return attribute.path("value").asLong();
        }
      }
    }
    return 0;
  }
}
