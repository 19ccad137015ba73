package io.sei.operator.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** Checks the published plots and the table beside them. */
class ScalePlotsTest {

  private static final Path PAGE = Path.of("docs", "benchmarks.md");
  private static final double CHARACTER = 7;

  @Test
  void pageHasTheTableAndThePlotsOfTheMeasurements() throws IOException {
    Series series = published();
    var table = new ByteArrayOutputStream();
    series.print(new PrintStream(table, true, StandardCharsets.UTF_8));

    assertThat(Files.readString(PAGE)).contains(table.toString(StandardCharsets.UTF_8));
    try (Stream<Path> files = Files.list(ScalePlots.DIRECTORY)) {
      assertThat(
              files
                  .map(file -> file.getFileName().toString())
                  .filter(file -> file.endsWith(".svg")))
          .containsExactlyInAnyOrderElementsOf(ScalePlots.of(series).keySet());
    }
    for (Map.Entry<String, Plot> plot : ScalePlots.of(series).entrySet()) {
      assertThat(Files.readString(PAGE)).contains("](benchmarks/" + plot.getKey() + ")");
      assertThat(ScalePlots.DIRECTORY.resolve(plot.getKey()))
          .as("make docs draws it again")
          .hasContent(plot.getValue().svg());
    }
  }

  @Test
  void plotSaysWhatItShows() throws IOException {
    for (Plot plot : ScalePlots.of(published()).values()) {
      assertThat(texts(plot))
          .contains(plot.title(), "nodes (logarithmic)")
          .containsAll(plot.lines().keySet())
          .anyMatch(text -> text.startsWith(plot.unit()));
    }
  }

  @Test
  void ticksAreRoundAndNoTextLiesOnAnother() throws Exception {
    for (Plot plot : ScalePlots.of(published()).values()) {
      assertThat(plot.ticks())
          .hasSizeBetween(3, 8)
          .allSatisfy(
              tick ->
                  assertThat(digits(tick))
                      .as(plot.title())
                      .isIn("0", "1", "2", "3", "4", "5", "6", "8"));
      List<double[]> boxes = boxes(plot);
      for (double[] box : boxes) {
        assertThat(boxes)
            .filteredOn(other -> other != box && overlap(box, other))
            .as(plot.title())
            .isEmpty();
      }
    }
  }

  @Test
  void measurementsAreReadAsTheyWereWritten(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("scale.json");
    published().write(file);

    assertThat(file)
        .hasContent(Files.readString(ScalePlots.DIRECTORY.resolve(ScalePlots.MEASUREMENTS)));
  }

  private static Series published() throws IOException {
    return Series.read(ScalePlots.DIRECTORY.resolve(ScalePlots.MEASUREMENTS));
  }

  private static String digits(double tick) {
    return "%.2f".formatted(tick).replaceAll("[.0]", "").replaceAll("^$", "0");
  }

  private static List<String> texts(Plot plot) {
    List<String> texts = new ArrayList<>();
    elements(plot).forEach(text -> texts.add(text.getTextContent()));
    return texts;
  }

  /** Left, top, right and bottom of each text. */
  private static List<double[]> boxes(Plot plot) {
    List<double[]> boxes = new ArrayList<>();
    for (Element text : elements(plot)) {
      double width = text.getTextContent().length() * CHARACTER;
      double x = Double.parseDouble(text.getAttribute("x"));
      double left =
          switch (text.getAttribute("text-anchor")) {
            case "end" -> x - width;
            case "middle" -> x - width / 2;
            default -> x;
          };
      double y = Double.parseDouble(text.getAttribute("y"));
      boxes.add(new double[] {left, y - 10, left + width, y + 2});
    }
    return boxes;
  }

  private static boolean overlap(double[] one, double[] other) {
    return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
  }

  private static List<Element> elements(Plot plot) {
    var bytes = new ByteArrayInputStream(plot.svg().getBytes(StandardCharsets.UTF_8));
    try {
      Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(bytes);
      List<Element> elements = new ArrayList<>();
      var texts = document.getElementsByTagName("text");
      for (int i = 0; i < texts.getLength(); i++) {
        elements.add((Element) texts.item(i));
      }
      return elements;
    } catch (Exception e) {
      throw new IllegalStateException(plot.title(), e);
    }
  }
}
