package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages belong together: every link leads somewhere, and every page can be found. */
class DocsTest {

  private static final Path DOCS = Path.of("docs");

  static List<Page> pages() throws IOException {
    return Page.all();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void linksLeadToAFileAndAnchorsToAHeading(Page page) {
    assertThat(page.links().stream().map(page::fault).flatMap(Optional::stream)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void diagramsAreWellFormed(Page page) {
    assertThat(page.code())
        .filteredOn(block -> block.language().equals("mermaid"))
        .allSatisfy(block -> assertThat(new Diagram(block.text()).faults()).isEmpty());
  }

  @ParameterizedTest
  @MethodSource("pages")
  void noCommandPrintsTheDataOfASecret(Page page) {
    assertThat(page.path())
        .content()
        .doesNotContainPattern("get secrets?\\b[^|\\n]*-o (?:yaml|json)(?!path)\\b");
  }

  /** A table whose lines are joined is no table: readers see its rows as one paragraph. */
  @ParameterizedTest
  @MethodSource("pages")
  void everyRowOfATableHasALineOfItsOwn(Page page) {
    assertThat(page.path()).content().doesNotContainPattern("(?m)^(?=.*\\|:?---).*\\w");
  }

  @Test
  void everyPageIsReachedFromTheIndex() throws IOException {
    List<Path> all =
        pages().stream().map(Page::path).filter(path -> path.startsWith(DOCS)).toList();

    assertThat(reachable(DOCS.resolve("README.md"))).containsAll(all);
  }

  @Test
  void theFrontPageLeadsToTheIndex() {
    assertThat(Page.read(Path.of("README.md")).targets()).contains(DOCS.resolve("README.md"));
  }

  private static Set<Path> reachable(Path from) {
    Set<Path> seen = new TreeSet<>(List.of(from));
    Deque<Path> open = new ArrayDeque<>(seen);
    while (!open.isEmpty()) {
      Page.read(open.pop())
          .targets()
          .filter(target -> target.startsWith(DOCS) && target.toString().endsWith(".md"))
          .filter(Files::exists)
          .filter(seen::add)
          .forEach(open::push);
    }
    return seen;
  }
}
