package io.sei.operator.testkit.picture;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sei.operator.observability.MonitoringFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DashboardPictureTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  private abstract static class HalfAMinute implements DashboardPicture.Data {

    @Override
    public Instant from() {
      return Instant.ofEpochSecond(1);
    }

    @Override
    public Instant until() {
      return Instant.ofEpochSecond(31);
    }
  }

  /** Answers each query with one series. */
  private static final DashboardPicture.Data ONE_SERIES =
      new HalfAMinute() {
        @Override
        public List<JsonNode> now(String expression) {
          return List.of(
              json("{'metric':{'phase':'Running','name':'<rpc>'},'value':[1700000000,'1']}"));
        }

        @Override
        public List<JsonNode> history(String expression) {
          return List.of(
              json(
                  "{'metric':{'name':'rpc-0'},'values':[[1,'2'],[2,'3'],[9,'3'],[20,'NaN'],[30,'1'],[31,'1']]}"));
        }
      };

  private static final DashboardPicture.Data NOTHING =
      new HalfAMinute() {
        @Override
        public List<JsonNode> now(String expression) {
          return List.of();
        }

        @Override
        public List<JsonNode> history(String expression) {
          return List.of();
        }
      };

  static Stream<String> dashboards() {
    return MonitoringFiles.dashboards().keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void everyPanelOfTheChartIsDrawn(String file) throws Exception {
    JsonNode dashboard = MonitoringFiles.dashboards().get(file);

    for (var data : List.of(ONE_SERIES, NOTHING)) {
      String svg = new DashboardPicture(dashboard, Map.of(), data).svg();

      assertIsXml(svg);
      assertThat(dashboard.get("panels"))
          .allSatisfy(panel -> assertThat(svg).contains(">" + panel.get("title").asText() + "<"));
      assertThat(dashboard.get("panels"))
          .allSatisfy(
              panel ->
                  assertThat(svg.contains(">" + noValue(panel) + "</text>"))
                      .as(noValue(panel))
                      .isEqualTo(data == NOTHING));
    }
  }

  /** A state is drawn by its name, where its bar is long enough. */
  @Test
  void phaseIsShownByItsName() {
    for (String file : List.of("fleet.json", "node.json")) {
      JsonNode dashboard = MonitoringFiles.dashboards().get(file);
      String svg = new DashboardPicture(dashboard, Map.of(), ONE_SERIES).svg();

      assertThat(svg).as(file).contains(">Running</text>");
    }
  }

  /** A dashboard that has changed since is drawn again by {@code make pictures}. */
  @ParameterizedTest
  @MethodSource("dashboards")
  void pictureInTheDocsHasEveryPanelWithItsQueries(String file) throws Exception {
    String svg =
        Files.readString(Path.of("docs/images/dashboard-" + file.replace(".json", ".svg")));
    List<String> lacking =
        MonitoringFiles.dashboards()
            .get(file)
            .get("panels")
            .valueStream()
            .filter(panel -> !isDrawn(svg, panel))
            .map(panel -> panel.get("title").asText())
            .toList();

    assertIsXml(svg);
    assertThat(lacking).as("panels that the picture lacks: run make pictures").isEmpty();
  }

  private static boolean isDrawn(String svg, JsonNode panel) {
    return svg.contains(">" + Svg.escaped(panel.get("title").asText()) + "</text>")
        && svg.contains("<title>" + Svg.escaped(DashboardPicture.asked(panel)) + "</title>");
  }

  @Test
  void variableIsNotTakenForOneThatBeginsWithItsName() throws Exception {
    var asked = new ArrayList<String>();
    var data =
        new HalfAMinute() {
          @Override
          public List<JsonNode> now(String expression) {
            asked.add(expression);
            return List.of();
          }

          @Override
          public List<JsonNode> history(String expression) {
            return now(expression);
          }
        };

    new DashboardPicture(
            MonitoringFiles.dashboards().get("fleet.json"),
            Map.of("cluster", ".*", "name", "net", "namespace", "sei"),
            data)
        .svg();

    assertThat(asked)
        .first()
        .asString()
        .contains("{cluster=~\".*\",namespace=\"sei\",name=\"net\",");
  }

  @Test
  void lineIsBrokenWhereThereIsNoValue() {
    var line = TimePlot.Line.of("", Svg.GREEN, ONE_SERIES.history("").getFirst().get("values"));

    assertThat(line.pieces()).hasSize(2);
  }

  private static String noValue(JsonNode panel) {
    return panel.at("/fieldConfig/defaults/noValue").asText("No data");
  }

  private static void assertIsXml(String svg) throws Exception {
    var bytes = new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8));
    var root = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(bytes);
    assertThat(root.getDocumentElement().getTagName()).isEqualTo("svg");
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text.replace('\'', '"'));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
