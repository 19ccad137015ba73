package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiagramTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "flowchart LR\n  a --> b",
        "flowchart TD\n  a[\"one (1)\"] -->|yes| b{two}\n  b -.-> c([three])",
        "flowchart TD\n  a & b --> c[(disk)]\n  c[on two<br/>lines]",
        "flowchart TB\n  subgraph pod[a pod]\n    a\n  end\n  a ==> b",
        "stateDiagram-v2\n  [*] --> Active\n  Active --> Complete : every task is done",
      })
  void isWellFormed(String text) {
    assertThat(new Diagram(text).faults()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "graph\n  a --> b",
        "flowchart LR\n  a -> b",
        "flowchart LR\n  a[one --> b",
        "flowchart LR\n  a[one (1)] --> b",
        "flowchart LR\n  a -->|yes b",
        "flowchart LR\n  subgraph x\n  a --> b",
        "flowchart LR\n  a --> b\n  end",
        "stateDiagram-v2\n  Active -> Complete",
        "stateDiagram-v2\n  Active --> Complete : a: b",
      })
  void isNotDrawn(String text) {
    assertThat(new Diagram(text).faults()).isNotEmpty();
  }
}
