package io.sei.operator.fleet.genesis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Genesis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the script of a ceremony with a program that notes how it was called. */
class CeremonyScriptTest {

  private static final String NOTING =
      """
      #!/bin/bash
      echo "$*" >> "$CALLS"
      case "$1" in
        init)
          mkdir -p "$6/config"
          echo "{\\"of\\":\\"$2\\"}" > "$6/config/genesis.json" ;;
        keys)
          if [ "$2" = show ]; then
            echo "sei1$(basename "${@: -1}")"
            exit
          fi
          wc -w >> "$CALLS" ;;
        gentx)
          mkdir -p "$9/config/gentx"
          echo {} > "$9/config/gentx/$(basename "$9").json" ;;
        collect-gentxs) ls "$3/config/gentx" >> "$CALLS" ;;
      esac
      echo "said by $1"
      """;

  @TempDir Path directory;
  private Path calls;

  @BeforeEach
  void keys() throws IOException {
    calls = directory.resolve("calls");
    for (String place : List.of("0", "1")) {
      Path keys = Files.createDirectories(directory.resolve("keys").resolve(place));
      Files.writeString(keys.resolve("node_key.json"), "node key");
      Files.writeString(keys.resolve("priv_validator_key.json"), "signing key");
      Files.writeString(keys.resolve(CeremonyScript.WORDS_FILE), "zoo zoo vote");
    }
    Path seid = Files.createDirectory(directory.resolve("bin")).resolve("seid");
    Files.writeString(seid, NOTING);
    Files.setPosixFilePermissions(seid, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void everyHomeHasItsKeysAndTheFirstOneTheGenesis() throws Exception {
    Path home = Files.createDirectory(directory.resolve("home"));

    String printed = run(home);

    assertThat(GenesisDocument.of(GenesisBlock.in(printed).orElseThrow()).orElseThrow().root())
        .hasToString("{\"of\":\"net-0\"}");
    assertThat(printed).as("only the block").startsWith("-----BEGIN").doesNotContain("said by");
    assertThat(home.resolve("1/config/node_key.json")).hasContent("node key");
    assertThat(
            Files.readString(calls)
                .replace(home.toString(), "~")
                .replaceAll("start-time 1[0-9]{9} ", "start-time NOW "))
        .isEqualTo(
            """
            init net-0 --chain-id lab-1 --home ~/0 --overwrite
            keys add validator --recover --keyring-backend test --home ~/0
            3
            keys show validator -a --keyring-backend test --home ~/0
            add-genesis-account sei10 100usei --home ~/0
            init net-1 --chain-id lab-1 --home ~/1 --overwrite
            keys add validator --recover --keyring-backend test --home ~/1
            3
            keys show validator -a --keyring-backend test --home ~/1
            add-genesis-account sei11 100usei --home ~/0
            add-genesis-account sei1more 5usei --home ~/0
            add-genesis-account sei1end 5usei --vesting-amount 3usei --vesting-end-time 99 --home ~/0
            add-genesis-account sei1slow 5usei --vesting-amount 4usei --vesting-end-time 98\
             --vesting-start-time NOW --home ~/0
            gentx validator 10usei --chain-id lab-1 --keyring-backend test --home ~/0
            gentx validator 10usei --chain-id lab-1 --keyring-backend test --home ~/1
            collect-gentxs --home ~/0
            0.json
            1.json
            validate-genesis --home ~/0
            """);
  }

  private String run(Path home) throws Exception {
    var more =
        List.of(
            new Genesis.Account("sei1more", "5usei", null),
            new Genesis.Account("sei1end", "5usei", new Genesis.Vesting("3usei", 99L, true)),
            new Genesis.Account("sei1slow", "5usei", new Genesis.Vesting("4usei", 98L, null)));
    var genesis = new Genesis("lab-1", "10usei", "100usei", more, null, null);
    String script =
        CeremonyScript.of("net", genesis, List.of(0, 1))
            .replace(CeremonyScript.KEYS + "/", directory.resolve("keys") + "/");
    var builder = new ProcessBuilder("/bin/bash", "-c", script);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("HOME", home.toString());
    builder.environment().put("CALLS", calls.toString());
    builder.environment().put("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
    Process process = builder.start();
    String printed = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).isZero();
    return printed;
  }
}
