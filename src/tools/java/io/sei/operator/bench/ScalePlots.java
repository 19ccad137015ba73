package io.sei.operator.bench;

import io.sei.operator.bench.Plot.Axis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** The plots of costs by the number of nodes, drawn from measurements in JSON. */
public final class ScalePlots {

  /** Where the published measurements and plots are. */
  static final Path DIRECTORY = Path.of("docs", "benchmarks");

  /** The file of measurements beside its plots. */
  static final String MEASUREMENTS = "scale.json";

  /** A row of the measurements, and its name for readers who do not know the benchmark. */
  private record Curve(String row, String name) {}

  /**
   * A plot of some rows.
   *
   * @param file its name without ending
   */
  private record Selection(String file, String title, String unit, Axis axis, List<Curve> curves) {}

  private static final List<Selection> SELECTIONS =
      List.of(
          new Selection(
              "time-by-nodes",
              "Time to create, to update and to restart",
              "seconds",
              Axis.LOGARITHMIC,
              List.of(
                  new Curve(
                      Scale.KILLED, "all nodes get another image, the operator is killed half-way"),
                  new Curve(Scale.CREATION, "all nodes are created, until the last one runs"),
                  new Curve(Scale.START, "the operator starts, until it applies a StatefulSet"))),
          new Selection(
              "memory-by-nodes",
              "Memory of the operator",
              "MiB",
              Axis.LINEAR,
              List.of(
                  new Curve(Scale.RESIDENT, "resident memory of the process"),
                  new Curve(Scale.HEAP, "live heap"))),
          new Selection(
              "processor-by-nodes",
              "Processor time of the operator",
              "seconds",
              Axis.LINEAR,
              List.of(
                  new Curve(
                      Scale.KILLED_PROCESSOR,
                      "from the kill half-way until all nodes have the other image"),
                  new Curve(Scale.IDLE, "in a minute in which nothing happens"))),
          new Selection(
              "reaction-by-nodes",
              "From a change of a node's spec to the deletion of its pod",
              "ms",
              Axis.LINEAR,
              List.of(
                  new Curve(
                      Scale.REACTION + Scale.SLOWEST, "slowest of up to 50 changes, one by one"))));

  private ScalePlots() {}

  /** Draws the published plots from the published measurements. */
  public static void main(String[] args) throws IOException {
    for (var plot : of(Series.read(DIRECTORY.resolve(MEASUREMENTS))).entrySet()) {
      Files.writeString(DIRECTORY.resolve(plot.getKey()), plot.getValue().svg());
    }
  }

  /** Returns the plots of what was measured, by the names of their files. */
  static Map<String, Plot> of(Series series) {
    Map<String, Plot> plots = new LinkedHashMap<>();
    for (Selection selection : SELECTIONS) {
      Map<String, SortedMap<Integer, Samples>> lines = new LinkedHashMap<>();
      for (Curve curve : selection.curves) {
        lines.put(curve.name, series.get(curve.row));
      }
      plots.put(
          selection.file + ".svg",
          new Plot(selection.title, selection.unit, selection.axis, lines));
    }
    return plots;
  }
}
