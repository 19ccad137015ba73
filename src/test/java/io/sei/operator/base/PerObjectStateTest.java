package io.sei.operator.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PerObjectStateTest {

  private final PerObjectState<String> memory = new PerObjectState<>();
  private final List<String> closed = new ArrayList<>();
  private final PerObjectMap<String, Integer> numbers = memory.newMap();
  private final PerObjectMap<String, String> handles = memory.newMap(closed::add);

  @Test
  void dropsAnObjectFromEveryMapAndNoOther() {
    var dropped = new ArrayList<String>();
    memory.onDrop(dropped::add);
    numbers.put("a", 1);
    numbers.put("b", 2);
    handles.put("a", "open");

    memory.drop("a");

    assertThat(numbers.get("a")).isEmpty();
    assertThat(numbers.get("b")).contains(2);
    assertThat(closed).containsExactly("open");
    assertThat(dropped).containsExactly("a");
  }

  @Test
  void aCallbackThatFailsKeepsNoOtherValueOfTheObject() {
    var failing = new PerObjectState<String>();
    PerObjectMap<String, String> before = failing.newMap();
    PerObjectMap<String, String> unclosable =
        failing.newMap(
            value -> {
              throw new IllegalStateException("cannot close " + value);
            });
    failing.onDrop(
        key -> {
          throw new IllegalArgumentException(key);
        });
    PerObjectMap<String, String> after = failing.newMap();
    before.put("a", "one");
    unclosable.put("a", "two");
    after.put("a", "three");

    assertThatThrownBy(() -> failing.drop("a"))
        .hasMessage("cannot close two")
        .satisfies(
            first ->
                assertThat(first.getSuppressed())
                    .singleElement()
                    .isInstanceOf(IllegalArgumentException.class));

    assertThat(before.get("a")).isEmpty();
    assertThat(unclosable.get("a")).isEmpty();
    assertThat(after.get("a")).isEmpty();
  }

  @Test
  void closesWhatIsReplacedOrRemovedAndNothingElse() {
    handles.put("a", "first");
    handles.compute("a", before -> before);
    assertThat(closed).isEmpty();

    handles.put("a", "second");
    handles.remove("a");
    handles.remove("a");

    assertThat(closed).containsExactly("first", "second");
  }

  @Test
  void changesInOneStep() {
    assertThat(numbers.compute("a", before -> before == null ? 1 : before + 1)).contains(1);
    assertThat(numbers.compute("a", before -> before == null ? 1 : before + 1)).contains(2);
    assertThat(numbers.compute("a", before -> null)).isEmpty();
    assertThat(numbers.computeIfPresent("a", before -> before + 1)).isEmpty();
    assertThat(numbers.get("a")).isEmpty();
  }

  @Test
  void clearClosesAll() {
    handles.put("a", "one");
    handles.put("b", "two");

    handles.clear();

    assertThat(closed).containsExactlyInAnyOrder("one", "two");
    assertThat(handles.get("a")).isEmpty();
  }
}
