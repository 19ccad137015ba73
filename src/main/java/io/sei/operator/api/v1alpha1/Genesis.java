package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Map;

/** A genesis ceremony among the validators of a deployment. */
public record Genesis(
    @Required
        @Size(min = 1, max = 64)
        @Pattern(Patterns.DNS_LABEL)
        @JsonPropertyDescription("Name of the new chain.")
        String chainId,
    @Default("10000000usei") @JsonPropertyDescription("Stake of each validator.")
        String stakingAmount,
    @Size(max = 4096)
        @Default(
            "1000000000000000000000usei,1000000000000000000000uusdc,1000000000000000000000uatom")
        @JsonPropertyDescription("Balance of each validator's account.")
        String accountBalance,
    @JsonPropertyDescription("Further accounts.") List<Account> accounts,
    @JsonPropertyDescription("Fields of the app state, by dotted path.")
        Map<String, JsonNode> overrides,
    @Pattern(Patterns.DURATION)
        @JsonPropertyDescription("Time limit of the ceremony's Job, such as 20m; 15m if unset.")
        String maxCeremonyDuration) {

  /** A funded account. */
  public record Account(
      @Required @Size(min = 1) @JsonPropertyDescription("Bech32 address.") String address,
      @Required @Size(min = 1, max = 4096) @JsonPropertyDescription("Coins, such as 5usei.")
          String balance,
      @JsonPropertyDescription("Part of the balance that cannot be spent yet; none if unset.")
          Vesting vesting) {}

  /** Coins that become free in time. */
  public record Vesting(
      @Required
          @Size(min = 1, max = 4096)
          @JsonPropertyDescription("Coins; no more than the balance.")
          String amount,
      @Required
          @Min(1)
          @JsonPropertyDescription("Time at which all coins are free, in seconds since 1970.")
          Long endTime,
      @JsonPropertyDescription(
              "All become free at the end; if false, some each moment from the genesis on.")
          Boolean delayed) {}
}
