package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.base.Unreadable;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads every object that an API server accepts: one that fails would end the process. */
class LenientReadingTest {

  private final KubernetesSerialization serialization = KubernetesClients.serialization();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-06-01T10:00:00.1234567890123Z",
        "2026-06-01T10:00:00+99:99",
        "2026-06-01T10:00:00,5Z",
        "9999-12-31T23:59:59-23:59"
      })
  void aMomentNobodyCanReadIsLongPast(String time) {
    assertThat(startedAt(time)).isEqualTo(Instant.EPOCH);
  }

  @Test
  void everyOtherMomentIsWhatItIs() {
    assertThat(startedAt("2026-06-01T10:00:00Z")).isEqualTo("2026-06-01T10:00:00Z");
    assertThat(startedAt("2026-06-01t10:00:00.5+02:00")).isEqualTo("2026-06-01T08:00:00.500Z");
    assertThat(startedAt("0001-01-01T00:00:00Z")).isEqualTo("0001-01-01T00:00:00Z");
  }

  @ParameterizedTest
  @CsvSource({
    "7, 7",
    "-7, -7",
    "2147483647, 2147483647",
    "2147483648, 2147483647",
    "-2147483649, -2147483648",
    "9223372036854775807, 2147483647"
  })
  void aNumberIsTheNearestThereIs(String written, int read) {
    assertThat(read("{'status':{'readyReplicas':%s}}".formatted(written)).getStatus())
        .satisfies(status -> assertThat(status.readyReplicas()).isEqualTo(read));
    SeiNodeDeployment limited =
        read("{'spec':{'updateStrategy':{'inPlace':{'maxUnavailable':%s}}}}".formatted(written));
    assertThat(limited.getSpec().updateStrategy().inPlace().maxUnavailable().getIntVal())
        .isEqualTo(read);
  }

  @Test
  void aPercentageIsStillOne() {
    SeiNodeDeployment limited =
        read("{'spec':{'updateStrategy':{'inPlace':{'maxUnavailable':'25%'}}}}");
    assertThat(limited.getSpec().updateStrategy().inPlace().maxUnavailable().getStrVal())
        .isEqualTo("25%");
  }

  @Test
  void whatIsNoNumberAtAllIsNotGuessed() {
    assertThat(Unreadable.of(read("{'status':{'readyReplicas':'many'}}")).fields())
        .extracting(Unreadable.Field::path)
        .containsExactly("status.readyReplicas");
  }

  /** The digits that its exponent stands for would not fit the heap. */
  @ParameterizedTest
  @ValueSource(
      strings = {"1e900000000", "1E-900000000", "2.5e+0100", "1e99999999999999", "1e9999999999"})
  void aQuantityWithAnImpossibleExponentIsNotRead(String quantity) {
    assertThat(Unreadable.of(withCpu(quantity)).fields())
        .extracting(Unreadable.Field::path)
        .containsExactly("spec.template.spec.resources.requests.cpu");
  }

  /** CRDs of earlier versions let any text be stored as a quantity. */
  @ParameterizedTest
  @ValueSource(strings = {"x", "true", "1x", "1Gii", "-"})
  void aQuantityThatIsNoNumberWithAUnitIsNotRead(String quantity) {
    assertThat(Unreadable.of(withCpu(quantity)).fields())
        .extracting(Unreadable.Field::path)
        .containsExactly("spec.template.spec.resources.requests.cpu");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e3", "1E", "1.5Gi", "500m", "1e-3", "2e18"})
  void everyOtherQuantityIsWhatItIs(String quantity) {
    assertThat(withCpu(quantity).getSpec().template().spec().resources().getRequests())
        .containsEntry("cpu", Quantity.parse(quantity));
  }

  private SeiNodeDeployment withCpu(String quantity) {
    return read(
        "{'spec':{'template':{'spec':{'resources':{'requests':{'cpu':'%s'}}}}}}"
            .formatted(quantity));
  }

  private Instant startedAt(String time) {
    return read("{'status':{'rollout':{'targetHash':'x','startedAt':'%s'}}}".formatted(time))
        .getStatus()
        .rollout()
        .startedAt();
  }

  private SeiNodeDeployment read(String fields) {
    String json =
        "{'apiVersion':'sei.io/v1alpha1','kind':'SeiNodeDeployment'," + fields.substring(1);
    return serialization.unmarshal(json.replace('\'', '"'), SeiNodeDeployment.class);
  }
}
