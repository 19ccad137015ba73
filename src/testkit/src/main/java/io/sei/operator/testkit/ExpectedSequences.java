package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Statuses of a pod in one scenario, as recorded of a real kubelet; a file of {@code
 * src/test/resources/kubelet}. A line is {@code NUMBER OF: WHAT, (WHAT), ...}: the number of the
 * pod, the subject, and its values in this order. A listener may miss, and a simulator leave out,
 * the values in brackets. Dots stand for anything.
 */
public final class ExpectedSequences {

  private static final Path DIRECTORY = Path.of("src", "test", "resources", "kubelet");
  private static final String ANYTHING = "...";

  private final Map<String, List<String>> lines = new LinkedHashMap<>();

  private ExpectedSequences() {}

  /** Reads the file of a scenario. */
  public static ExpectedSequences of(String scenario) {
    var expected = new ExpectedSequences();
    try {
      for (String line : Files.readAllLines(DIRECTORY.resolve(scenario + ".txt"))) {
        if (!line.isBlank() && !line.startsWith("#")) {
          String[] parts = line.split(": ", 2);
          expected.lines.put(parts[0], List.of(parts[1].split(", ")));
        }
      }
      return expected;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Fails with every sequence that differs from the expected one, and every unexpected one. */
  public void assertAgree(Map<String, List<String>> said) {
    List<String> wrong = new ArrayList<>();
    said.forEach(
        (of, sequence) -> {
          if (!agrees(lines.getOrDefault(of, List.of()), sequence)) {
            wrong.add(of + ": " + String.join(", ", sequence));
          }
        });
    lines.keySet().stream()
        .filter(of -> !said.containsKey(of) && !agrees(lines.get(of), List.of()))
        .forEach(of -> wrong.add(of + ": nothing"));
    if (!wrong.isEmpty()) {
      fail("said otherwise than recorded:%n%s", String.join("\n", wrong));
    }
  }

  private static boolean agrees(List<String> expected, List<String> said) {
    if (expected.isEmpty()) {
      return said.isEmpty();
    }
    String first = expected.get(0);
    List<String> rest = expected.subList(1, expected.size());
    if (first.equals(ANYTHING)) {
      return rest.isEmpty()
          || IntStream.rangeClosed(0, said.size())
              .anyMatch(from -> agrees(rest, said.subList(from, said.size())));
    }
    boolean optional = first.startsWith("(");
    String what = optional ? first.substring(1, first.length() - 1) : first;
    boolean here =
        !said.isEmpty() && said.get(0).equals(what) && agrees(rest, said.subList(1, said.size()));
    return here || (optional && agrees(rest, said));
  }
}
