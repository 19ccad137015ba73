package io.sei.operator.fleet.genesis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.testkit.CeremonyLogs;
import io.sei.operator.testkit.SmallHeap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Logs of ceremonies of some KiB that are made to take all memory. */
class HostileGenesisTest {

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void logOfACeremonyDoesNotEndTheOperator(Bomb bomb) throws Exception {
    Path log = Files.writeString(directory.resolve("log"), bomb.log());

    assertThat(SmallHeap.run(HostileGenesisTest.class, log.toString())).startsWith("Bad[");
  }

  /** A genesis of a few thousand accounts is read with the same heap. */
  @Test
  void genesisOfManyAccountsIsRead() throws Exception {
    String account =
        "{\"@type\":\"/cosmos.auth.v1beta1.BaseAccount\",\"address\":\"sei1%d\",\"sequence\":\"0\"},";
    var accounts = new StringBuilder();
    for (int i = 0; i < 3000; i++) {
      accounts.append(account.formatted(i));
    }
    String genesis =
        "{\"chain_id\":\"lab-1\",\"app_state\":{\"auth\":[%s{}],\"genutil\":{\"gen_txs\":[{\"body\":{\"messages\":[{\"pubkey\":{\"key\":\"YQ==\"}}]}}]}}}"
            .formatted(accounts);
    Path log = Files.writeString(directory.resolve("log"), CeremonyLogs.block(genesis));

    assertThat(SmallHeap.run(HostileGenesisTest.class, log.toString())).startsWith("Good[");
  }

  private enum Bomb {
    LISTS,
    BLANKS,
    ONE_TEXT,
    MANY_BLOCKS;

    String log() throws IOException {
      return switch (this) {
        case LISTS -> CeremonyLogs.block("[" + "[],".repeat((8 << 20) / 3) + "[]]");
        case BLANKS -> CeremonyLogs.block(" ".repeat(60 << 20) + "{}");
        case ONE_TEXT -> CeremonyLogs.block("{\"a\":\"" + "é".repeat(15 << 20) + "\"}");
        case MANY_BLOCKS -> {
          var log = new StringBuilder();
          String block = CeremonyLogs.block("{\"z\":[" + "[],".repeat(200_000) + "[]]}");
          for (int i = 0; i < 100; i++) {
            log.append(block);
          }
          yield log.append("{").toString();
        }
      };
    }
  }

  /** Prints what becomes of the log in the file that the argument names. */
  public static void main(String[] arguments) throws IOException {
    var genesis = new Genesis("lab-1", null, null, null, null, null);
    System.out.print(
        CeremonyResult.of(Files.readString(Path.of(arguments[0])), genesis, List.of("YQ==")));
  }
}
