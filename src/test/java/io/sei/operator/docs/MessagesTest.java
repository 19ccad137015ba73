package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every message that a user can read is in one file, which can be reviewed in one sitting. */
class MessagesTest {

  private static final String UPDATE = "golden.update";
  private static final String HOW_TO_UPDATE =
      "run 'mvn test -Dtest=MessagesTest -D%s=true' and review the diff".formatted(UPDATE);
  private static final Path GOLDEN = Path.of("src", "test", "resources", "messages.txt");

  @Test
  void theFileListsEveryMessage() throws IOException {
    String messages = Messages.of(Path.of("src", "main", "java"));
    if (Boolean.getBoolean(UPDATE)) {
      Files.writeString(GOLDEN, messages);
    }
    String file = Files.readString(GOLDEN);
    assertThat(difference(file, messages))
        .as("messages have changed; if they are meant to: %s", HOW_TO_UPDATE)
        .isEmpty();
    assertThat(messages).as(HOW_TO_UPDATE).isEqualTo(file);
  }

  /** Returns the lines that only one of them has: two whole files in a failure would bury them. */
  private static List<String> difference(String file, String code) {
    var gone = new ArrayList<>(withClass(file));
    gone.removeAll(withClass(code));
    var added = new ArrayList<>(withClass(code));
    added.removeAll(withClass(file));
    return Stream.concat(
            gone.stream().map(line -> "- " + line), added.stream().map(line -> "+ " + line))
        .toList();
  }

  private static List<String> withClass(String text) {
    var messages = new ArrayList<String>();
    String source = "";
    for (String line : text.lines().toList()) {
      if (line.startsWith("  ")) {
        messages.add(source + ": " + line.substring(2));
      } else {
        source = line;
      }
    }
    return messages;
  }
}
