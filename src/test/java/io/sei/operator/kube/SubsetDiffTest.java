package io.sei.operator.kube;

import static io.sei.operator.testkit.SingleQuoted.json;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubsetDiffTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'a':1}                             | {'a':1}",
        "{'a':1}                             | {'a':1,'defaulted':2}",
        "{'a':{'b':1}}                       | {'a':{'b':1,'c':2}}",
        "{'a':{}}                            | {}",
        "{'a':[]}                            | {}",
        "{'a':''}                            | {}",
        "{'a':null}                          | {'a':{}}",
        "{'requests':{'cpu':'1000m'}}        | {'requests':{'cpu':'1'}}",
        "{'limits':{'memory':'1024Mi'}}      | {'limits':{'memory':'1Gi'}}",
        "{'l':[{'name':'a','v':1}]}          | {'l':[{'name':'b'},{'name':'a','v':1,'d':2}]}",
        "{'l':[{'name':'b'},{'name':'a'}]}   | {'l':[{'name':'a'},{'name':'b'}]}",
        "{'p':[{'port':80,'name':'x'}]}      | {'p':[{'port':80,'name':'x','protocol':'TCP'}]}",
        "{'port':80}                         | {'port':'80'}",
        "{'spec':{'publishNotReadyAddresses':false}} | {'spec':{'type':'x'}}",
      })
  void sameInWhatIsWanted(String wanted, String live) {
    assertThat(SubsetDiff.of(json(wanted), json(live))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'a':1}                      | {'b':1}                         | a",
        "{'a':1}                      | {'a':2}                         | a",
        "{'a':{'b':1}}                | {'a':{'c':1}}                   | a.b",
        "{'a':{'b':1}}                | {'a':'x'}                       | a.b",
        "{'requests':{'cpu':'1'}}     | {'requests':{'cpu':'2'}}        | requests.cpu",
        "{'requests':{'cpu':'1'}}     | {'requests':{'memory':'1'}}     | requests.cpu",
        "{'args':['a','b']}           | {'args':['a']}                  | args",
        "{'args':['a','b']}           | {'args':['b','a']}              | args[0]",
        "{'l':[{'name':'a','v':1}]}   | {'l':[{'name':'a','v':2}]}      | l[a].v",
        "{'l':[{'name':'a','v':1}]}   | {'l':[{'name':'b','v':1}]}      | l[a]",
        "{'x':{'enabled':false}}      | {'x':{'y':1}}                   | x.enabled",
        "{'labels':{'x':'1000m'}}     | {'labels':{'x':'1'}}            | labels.x",
      })
  void differencesAreNamed(String wanted, String live, String path) {
    assertThat(SubsetDiff.of(json(wanted), json(live))).first().isEqualTo(path);
  }
}
