package io.sei.operator.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;

/**
 * A page written in Markdown.
 *
 * @param links where its links lead, and its images, as they are written
 * @param anchors what a link to a part of it can name
 * @param code its fenced blocks of code
 * @param spans what its text sets in code, each on one line
 */
record Page(
    Path path, List<String> links, Set<String> anchors, List<Block> code, List<String> spans) {

  /**
   * A fenced block of code.
   *
   * @param language the word after its fence
   */
  record Block(String language, String text) {}

  private static final Path ROOT = Path.of("");
  private static final Parser PARSER =
      Parser.builder().extensions(List.of(TablesExtension.create())).build();

  /** All pages that are kept in the repository. */
  static List<Page> all() throws IOException {
    try (Stream<Path> root = Files.list(ROOT);
        Stream<Path> docs = Files.walk(Path.of("docs"))) {
      return Stream.concat(root, docs)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .map(Page::read)
          .toList();
    }
  }

  static Page read(Path path) {
    try {
      return parse(path, Files.readString(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Page parse(Path path, String markdown) {
    var page =
        new Page(path, new ArrayList<>(), new TreeSet<>(), new ArrayList<>(), new ArrayList<>());
    IdGenerator ids = IdGenerator.builder().build();
    PARSER
        .parse(markdown)
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(Link link) {
                page.links.add(link.getDestination());
                visitChildren(link);
              }

              @Override
              public void visit(Image image) {
                page.links.add(image.getDestination());
              }

              @Override
              public void visit(Heading heading) {
                page.anchors.add(ids.generateId(text(heading)));
                visitChildren(heading);
              }

              @Override
              public void visit(Code span) {
                page.spans.add(span.getLiteral().replaceAll("\\s+", " "));
              }

              @Override
              public void visit(FencedCodeBlock block) {
                page.code.add(new Block(block.getInfo().strip(), block.getLiteral()));
              }
            });
    return page;
  }

  private static String text(Node of) {
    var text = new StringBuilder();
    of.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(Code part) {
            text.append(part.getLiteral());
          }
        });
    return text.toString();
  }

  /** Links to files of the repository, without the part of the file that they name. */
  Stream<Path> targets() {
    return links.stream().filter(Page::isLocal).map(this::target);
  }

  /** Why a link leads nowhere, if it does. */
  Optional<String> fault(String link) {
    if (!isLocal(link)) {
      return Optional.empty();
    }
    Path target = target(link);
    if (!Files.exists(ROOT.resolve(target))) {
      return Optional.of(link + ": there is no " + target);
    }
    String anchor = URI.create(link).getFragment();
    return anchor == null || read(target).anchors.contains(anchor)
        ? Optional.empty()
        : Optional.of(link + ": " + target + " has no heading for #" + anchor);
  }

  private Path target(String link) {
    String file = URI.create(link).getPath();
    return file.isEmpty() ? path : path.resolveSibling(file).normalize();
  }

  private static boolean isLocal(String link) {
    return !URI.create(link).isAbsolute();
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
