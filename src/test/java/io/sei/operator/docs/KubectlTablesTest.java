package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tables of {@code kubectl get} on pages have the columns of the CRDs. */
class KubectlTablesTest {

  private static final Pattern GET = Pattern.compile("kubectl get (\\S+)");
  private static final Pattern ROW = Pattern.compile("([a-z]+)\\.sei\\.io/.*");
  private static final String WIDE = "-o wide";

  /** Printer columns by every name of a resource. */
  private static final Map<String, JsonNode> COLUMNS = new HashMap<>();

  /**
   * A table on a page.
   *
   * @param columns those that the page shows
   * @param expected those of the CRD
   */
  private record Table(Path page, List<String> columns, List<String> expected) {}

  @BeforeAll
  static void readPrinterColumns() throws IOException {
    try (Stream<Path> crds = Files.list(Path.of("crds"))) {
      for (Path crd : crds.toList()) {
        JsonNode spec = new YAMLMapper().readTree(crd.toFile()).path("spec");
        JsonNode columns = spec.at("/versions/0/additionalPrinterColumns");
        JsonNode names = spec.path("names");
        COLUMNS.put(names.path("singular").asText(), columns);
        COLUMNS.put(names.path("plural").asText(), columns);
        names.path("shortNames").forEach(name -> COLUMNS.put(name.asText(), columns));
      }
    }
  }

  @Test
  void everyTableHasTheColumnsOfItsKind() throws IOException {
    List<Table> tables = Page.all().stream().flatMap(page -> tables(page).stream()).toList();

    assertThat(tables)
        .hasSizeGreaterThan(4)
        .allSatisfy(
            table -> assertThat(table.columns()).as("%s", table).isEqualTo(table.expected()));
  }

  private static List<Table> tables(Page page) {
    var tables = new ArrayList<Table>();
    for (Page.Block block : page.code()) {
      String command = "";
      List<String> lines = block.text().lines().toList();
      for (int i = 0; i < lines.size() - 1; i++) {
        String line = lines.get(i).strip();
        if (line.contains("kubectl ")) {
          command = line;
        } else if (line.startsWith("NAME ")
            && COLUMNS.containsKey(resource(command, lines.get(i + 1)))) {
          tables.add(
              new Table(
                  page.path(),
                  List.of(line.split(" {2,}")),
                  columns(
                      COLUMNS.get(resource(command, lines.get(i + 1))), command.contains(WIDE))));
        }
      }
    }
    return tables;
  }

  /** Returns the resource of a row, which has its name where the command lists several kinds. */
  private static String resource(String command, String row) {
    Matcher named = ROW.matcher(row.strip());
    if (named.matches()) {
      return named.group(1);
    }
    Matcher get = GET.matcher(command);
    return get.find() ? get.group(1) : "";
  }

  private static List<String> columns(JsonNode printed, boolean wide) {
    var columns = new ArrayList<>(List.of("NAME"));
    for (JsonNode column : printed) {
      if (wide || column.path("priority").asInt() == 0) {
        columns.add(column.path("name").asText().toUpperCase(Locale.ROOT));
      }
    }
    return columns;
  }
}
