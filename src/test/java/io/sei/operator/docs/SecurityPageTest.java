package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** Holds the security page to the code: users decide by it whether to install the operator. */
class SecurityPageTest {

  private static final Path RULES = Path.of("deploy", "helm", "sei-operator", "files", "rbac");
  private static final Path PAGE = Path.of("docs", "rights.md");
  private static final Pattern ROW =
      Pattern.compile("\\| ((?:`[a-z/]+`(?:, )?)+)[^|]*\\| ([a-z, ]+) \\|.*");
  private static final Pattern RESOURCE = Pattern.compile("`([a-z/]+)`");

  @Test
  void saysEveryRightOfTheOperatorAndNoOther() throws IOException {
    assertThat(said()).containsExactlyInAnyOrderEntriesOf(granted());
  }

  private static Map<String, String> said() throws IOException {
    Map<String, String> said = new TreeMap<>();
    for (String line : Files.readAllLines(PAGE)) {
      var row = ROW.matcher(line);
      if (row.matches()) {
        RESOURCE
            .matcher(row.group(1))
            .results()
            .forEach(match -> said.merge(match.group(1), row.group(2), SecurityPageTest::both));
      }
    }
    return said;
  }

  private static Map<String, String> granted() throws IOException {
    Map<String, String> granted = new TreeMap<>();
    List<Path> files;
    try (var all = Files.list(RULES)) {
      files = all.toList();
    }
    for (Path file : files) {
      for (JsonNode rule : new YAMLMapper().readTree(file.toFile())) {
        for (JsonNode resource : rule.get("resources")) {
          granted.merge(resource.asText(), verbs(rule), SecurityPageTest::both);
        }
      }
    }
    return granted;
  }

  /** A resource may have several rules, and a row of the page for each. */
  private static String both(String one, String other) {
    return Stream.of(one, other)
        .flatMap(rules -> Stream.of(rules.split("; ")))
        .sorted()
        .collect(Collectors.joining("; "));
  }

  private static String verbs(JsonNode rule) {
    return StreamSupport.stream(rule.get("verbs").spliterator(), false)
        .map(JsonNode::asText)
        .collect(Collectors.joining(", "));
  }
}
