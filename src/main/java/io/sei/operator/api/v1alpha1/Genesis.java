package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Map;

/** A genesis ceremony among the validators of a deployment. */
public record Genesis(
    @Required @Size(min = 1, max = 64) @Pattern(Patterns.DNS_LABEL) String chainId,
    @Default("10000000usei") String stakingAmount,
    @Default("1000000000000000000000usei,1000000000000000000000uusdc,1000000000000000000000uatom")
        String accountBalance,
    List<Account> accounts,
    Map<String, JsonNode> overrides,
    String maxCeremonyDuration) {

  /** A funded account. */
  public record Account(
      @Required @Size(min = 1) String address, @Required @Size(min = 1) String balance) {}
}
