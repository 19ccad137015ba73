package io.sei.operator.kube;

import static io.sei.operator.testkit.SingleQuoted.json;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EmptiedObjectsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // wanted            | live                       | refused | patch
        "{'a':{}}            | {'a':{'b':1,'c':{'d':2}}}  | a       | {'a':{'b':null,'c':null}}",
        "{'a':{'b':{}}}      | {'a':{'b':{'c':1},'d':2}}  | a.b     | {'a':{'b':{'c':null}}}",
        "{'a':{},'b':{}}     | {'a':{'c':1},'b':{'c':1}}  | a       | {'a':{'c':null}}",
        "{'a':{}}            | {'a':{'b':1}}              | b       | {}",
        "{'a':{}}            | {'a':{},'b':{'c':1}}       | a       | {}",
        "{'a':{}}            | {'b':1}                    | a       | {}",
        "{'a':{'b':1}}       | {'a':{'b':2,'c':3}}        | a       | {}",
        "{'a':[{}]}          | {'a':[{'b':1}]}            | a       | {}",
      })
  void onlyRefusedObjectsThatAreToBeEmptyLoseTheirFields(
      String wanted, String live, String refused, String patch) {
    assertThat(EmptiedObjects.patch(json(wanted), json(live), Set.of(refused)))
        .isEqualTo(json(patch));
  }
}
