package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.Invariants;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of tests lists each invariant with the classes that check it. */
class InvariantsPageTest {

  private static final Path PAGE = Path.of("docs", "dev", "testing.md");
  private static final Pattern ROW = Pattern.compile("\\| `([a-z]\\w+)` \\| (`.+`) \\|");
  private static final Pattern NAME = Pattern.compile("`(\\w+)`");
  private static final Pattern CHECK = Pattern.compile("Invariants\\s*\\.(\\w+)\\(");

  @Test
  void everyInvariantIsListedWithWhatChecksIt() throws IOException {
    assertThat(listed()).isEqualTo(checked());
    assertThat(listed().keySet())
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Invariants.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .map(Method::getName)
                .toList());
  }

  private static Map<String, List<String>> listed() throws IOException {
    Map<String, List<String>> listed = new TreeMap<>();
    for (String line : Files.readAllLines(PAGE)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        listed.put(
            row.group(1),
            NAME.matcher(row.group(2)).results().map(name -> name.group(1)).sorted().toList());
      }
    }
    return listed;
  }

  private static Map<String, List<String>> checked() throws IOException {
    Map<String, List<String>> checked = new TreeMap<>();
    for (Path root : List.of(Path.of("src", "test", "java"), Path.of("src", "tools", "java"))) {
      try (Stream<Path> files = Files.walk(root)) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          String type = file.getFileName().toString().replace(".java", "");
          CHECK
              .matcher(Files.readString(file))
              .results()
              .map(check -> check.group(1))
              .distinct()
              .forEach(rule -> checked.merge(rule, List.of(type), InvariantsPageTest::sorted));
        }
      }
    }
    return checked;
  }

  private static List<String> sorted(List<String> some, List<String> more) {
    return Stream.concat(some.stream(), more.stream()).sorted().toList();
  }
}
