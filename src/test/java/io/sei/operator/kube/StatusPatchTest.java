package io.sei.operator.kube;

import static io.sei.operator.testkit.SingleQuoted.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.MissingNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusPatchTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}                          | {}                          | {}",
        "{'a':1}                     | {'a':1}                     | {}",
        "{'a':1}                     | {'a':2}                     | {'a':2}",
        "{}                          | {'a':1}                     | {'a':1}",
        "{'a':1,'b':2}               | {'a':1}                     | {'b':null}",
        "{'a':{'b':1,'c':2}}         | {'a':{'b':1}}               | {'a':{'c':null}}",
        "{'a':{'b':1}}               | {'a':{'b':1}}               | {}",
        "{'a':{'b':1}}               | {}                          | {'a':null}",
        "{'a':[1,2]}                 | {'a':[1,2]}                 | {}",
        "{'a':[1,2]}                 | {'a':[2]}                   | {'a':[2]}",
        "{'a':[{'b':1,'c':2}]}       | {'a':[{'b':1}]}             | {'a':[{'b':1}]}",
        "{'a':'x'}                   | {'a':{'b':1}}               | {'a':{'b':1}}",
        "{'a':{'b':1}}               | {'a':'x'}                   | {'a':'x'}",
        "{'a':null}                  | {'a':'2026-06-01T00:00:00Z'}| {'a':'2026-06-01T00:00:00Z'}",
      })
  void patchTurnsTheOldIntoTheNew(String was, String now, String patch) {
    assertThat(StatusPatch.diff(json(was), json(now))).isEqualTo(json(patch));
  }

  @Test
  void firstStatusIsWrittenAsAWhole() {
    assertThat(StatusPatch.diff(MissingNode.getInstance(), json("{'a':{'b':1}}")))
        .isEqualTo(json("{'a':{'b':1}}"));
  }
}
