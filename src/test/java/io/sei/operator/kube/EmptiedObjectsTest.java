package io.sei.operator.kube;

import static io.sei.operator.testkit.SingleQuoted.json;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EmptiedObjectsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // wanted            | live                       | patch
        "{'a':{}}            | {'a':{'b':1,'c':{'d':2}}}  | {'spec':{'a':{'b':null,'c':null}}}",
        "{'a':{'b':{}}}      | {'a':{'b':{'c':1},'d':2}}  | {'spec':{'a':{'b':{'c':null}}}}",
        "{'a':{}}            | {'a':{},'b':{'c':1}}       | {}",
        "{'a':{}}            | {'b':1}                    | {}",
        "{'a':{'b':1}}       | {'a':{'b':2,'c':3}}        | {}",
        "{'a':[{}]}          | {'a':[{'b':1}]}            | {}",
      })
  void onlyObjectsThatAreToBeEmptyLoseTheirFields(String wanted, String live, String patch) {
    assertThat(
            EmptiedObjects.patch(
                json("{'spec':" + wanted + "}"),
                json("{'metadata':{'labels':{'x':'y'}},'spec':" + live + "}")))
        .isEqualTo(json(patch));
    assertThat(EmptiedObjects.patch(json("{'metadata':{'labels':{}}}"), json("{}"))).isEmpty();
  }
}
