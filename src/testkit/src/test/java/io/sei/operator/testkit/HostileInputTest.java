package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.generator.annotation.Required;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HostileInputTest {

  private static final int ROUNDS = 200;
  private static final String OBJECT = "{\"kept\":1,\"a\":{\"b\":[1,{\"c\":\"d\"}],\"kept\":2}}";

  record Inner(@Required String name, Map<String, Boolean> flags) {}

  record Outer(@Required Integer number, Instant at, @Required Inner inner, List<Inner> more) {}

  private static HostileInput seeded(long seed, boolean obeysSchema) {
    return new HostileInput(
        new Random(seed), HostileInput.withOddTexts(List.of("known")), obeysSchema);
  }

  private static List<Outer> records(HostileInput input) {
    return IntStream.range(0, ROUNDS).mapToObj(round -> input.make(Outer.class)).toList();
  }

  @Test
  void sameSeedMakesTheSameRecords() {
    assertThat(records(seeded(7, false))).isEqualTo(records(seeded(7, false)));
    assertThat(records(seeded(7, false))).isNotEqualTo(records(seeded(8, false)));
  }

  @Test
  void recordsThatObeyTheSchemaHaveWhatIsRequired() {
    assertThat(records(seeded(7, true)))
        .allMatch(made -> made.number() != null && made.inner().name() != null);
    assertThat(records(seeded(7, false))).anyMatch(made -> made.number() == null);
  }

  @Test
  void oneValueIsSpoiledAndThoseThatAreKeptStay() throws Exception {
    var input = seeded(7, true);
    var wrong = JsonNodeFactory.instance.textNode("SPOILED");
    for (int i = 0; i < ROUNDS; i++) {
      var object = (ObjectNode) new ObjectMapper().readTree(OBJECT);

      input.spoil(object, Set.of("kept"), right -> wrong);

      assertThat(object.toString().split("SPOILED", -1)).hasSize(2);
      assertThat(object.get("kept").asInt()).isEqualTo(1);
    }
  }
}
