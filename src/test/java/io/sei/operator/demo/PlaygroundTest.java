package io.sei.operator.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlaygroundTest {

  /** Records the damage that was done, in order. */
  private static final class Broken implements Playground.World {
    private final List<String> what = new ArrayList<>();

    @Override
    public void halt(String upgrade) {
      what.add("halt " + upgrade);
    }

    @Override
    public void crash(String node) {
      throw new IllegalStateException("There is no pod " + node);
    }

    @Override
    public void badImage(String image) {
      what.add("no " + image);
    }

    @Override
    public void loseMachine() {
      what.add("lost");
    }

    @Override
    public void heal() {
      what.add("healed");
    }
  }

  @Test
  void aLineBreaksSomethingAndEveryOtherLineIsAnsweredWithHelp() {
    var broken = new Broken();
    var answers = new ArrayList<String>();

    new Playground(broken, answers::add)
        .play(
            new BufferedReader(
                new StringReader(
                    "halt v7\n  bad-image  sei:v8\ncrash nobody\nlose-machine\nhalt\nheal\n")));

    assertThat(broken.what).containsExactly("halt v7", "no sei:v8", "lost", "healed");
    assertThat(answers)
        .startsWith("There is no pod nobody")
        .hasSize(1 + 5)
        .endsWith(Playground.help().toList().getLast());
  }
}
