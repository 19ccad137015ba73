package io.sei.operator.docs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A Mermaid diagram, checked for what usually breaks one. Mermaid itself needs a browser; this
 * knows the few forms that the pages use, and refuses others.
 */
record Diagram(String text) {

  private static final String ID = "[A-Za-z][A-Za-z0-9_]*";
  // Outside quotes, brackets and most signs have a meaning of their own.
  private static final String LABEL =
      "(\"[^\"]+\"|[^\"\\[\\](){}|<>]([^\"\\[\\](){}|]*[^\"\\[\\](){}|])?)";
  private static final String NODE =
      ID + "(\\[%1$s]|\\(%1$s\\)|\\{%1$s}|\\(\\[%1$s]\\)|\\[\\(%1$s\\)])?".formatted(LABEL);
  private static final String ARROW = " (-->|-\\.->|==>|---)(\\|%s\\|)? ".formatted(LABEL);
  private static final Pattern FLOWCHART_LINE =
      Pattern.compile("%1$s((%2$s| & )%1$s)*".formatted(NODE, ARROW));
  private static final Pattern SUBGRAPH =
      Pattern.compile("subgraph " + ID + "(\\[" + LABEL + "])?");
  private static final Pattern STATE_LINE =
      Pattern.compile("(%1$s|\\[\\*]) --> (%1$s|\\[\\*])( ?: [^:]+)?|%1$s ?: [^:]+".formatted(ID));
  private static final Set<String> FLOWCHARTS =
      Set.of("flowchart TD", "flowchart LR", "flowchart TB");

  /** Returns the faults that keep the diagram from being drawn; empty if it is well-formed. */
  List<String> faults() {
    List<String> lines = text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    if (lines.isEmpty()) {
      return List.of("empty");
    }
    String kind = lines.get(0);
    List<String> body = lines.subList(1, lines.size());
    if (FLOWCHARTS.contains(kind)) {
      return flowchartFaults(body);
    }
    return kind.equals("stateDiagram-v2")
        ? body.stream().filter(line -> !STATE_LINE.matcher(line).matches()).toList()
        : List.of("unknown kind of diagram: " + kind);
  }

  private static List<String> flowchartFaults(List<String> body) {
    List<String> faults = new ArrayList<>();
    Deque<String> open = new ArrayDeque<>();
    for (String line : body) {
      if (SUBGRAPH.matcher(line).matches()) {
        open.push(line);
      } else if (line.equals("end")) {
        if (open.poll() == null) {
          faults.add("an end of nothing");
        }
      } else if (!FLOWCHART_LINE.matcher(line).matches()) {
        faults.add(line);
      }
    }
    open.forEach(line -> faults.add("without an end: " + line));
    return faults;
  }
}
