package io.sei.operator.fleet.genesis;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.validation.FieldError;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * PURE: what a ceremony cannot make a chain of, by the names of its fields. What is refused here
 * would else be learnt from a tool after keys were made, or from a chain that makes no block.
 */
final class GenesisRules {

  /** Unit of voting power: a validator with a smaller stake has none. */
  private static final BigInteger ONE_POWER = BigInteger.valueOf(1_000_000);

  /** The staking module's own limit, unless it is overridden. */
  private static final int MAX_VALIDATORS = 35;

  /** Each takes seid a second, and all stand in one argument of the Job. */
  private static final int MAX_ACCOUNTS = 200;

  private static final Duration DEFAULT_LIMIT = Duration.ofMinutes(15);
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofHours(24);

  private static final String LIMIT = "staking.params.max_validators";
  private static final String STAKED = "usei";

  /** The characters of Bech32, of the 20 or 32 bytes that an address has, and six to check them. */
  private static final Pattern ADDRESS =
      Pattern.compile("sei1[02-9ac-hj-np-z]{38}([02-9ac-hj-np-z]{20})?");

  private static final Pattern COIN = Pattern.compile("([1-9][0-9]{0,37})([a-z][a-z0-9]{2,63})");
  private static final Pattern PATH = Pattern.compile("\\w{1,64}(\\.\\w{1,64}){0,15}");

  private final List<FieldError> errors = new ArrayList<>();

  private final Instant now;

  private GenesisRules(Instant now) {
    this.now = now;
  }

  /** Every broken rule; empty if there is none. */
  static List<FieldError> broken(SeiNodeDeploymentSpec spec, Instant now) {
    var rules = new GenesisRules(now);
    Genesis genesis = spec.genesis();
    rules.validators(genesis, spec.replicas());
    rules.template(spec);
    rules.rejectIf(
        limit(genesis).isEmpty(),
        "spec.genesis.maxCeremonyDuration",
        "must be a duration from 1s to 24h, such as 20m");
    rules.stake(genesis);
    rules.accounts(Optional.ofNullable(genesis.accounts()).orElse(List.of()));
    rules.overrides(overrides(genesis));
    return List.copyOf(rules.errors);
  }

  /** Returns the time limit of the Job; empty if it cannot be parsed. */
  static Optional<Duration> limit(Genesis genesis) {
    String text = genesis.maxCeremonyDuration();
    try {
      return Optional.of(text == null ? DEFAULT_LIMIT : Duration.parse("PT" + text))
          .filter(
              duration -> duration.compareTo(SHORTEST) >= 0 && duration.compareTo(LONGEST) <= 0);
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /** Each node begins with nothing but the ceremony's genesis and keys. */
  private void template(SeiNodeDeploymentSpec spec) {
    String path = "spec.template.spec.";
    SeiNodeSpec node = spec.template().spec();
    rejectIf(
        !spec.genesis().chainId().equals(node.chainId()),
        path + "chainId",
        "must be spec.genesis.chainId");
    String made = "must not be set with spec.genesis";
    rejectIf(node.genesis() != null, path + "genesis", made);
    rejectIf(
        node.dataVolume() != null
            && (node.dataVolume().importClaim() != null || node.dataVolume().from() != null),
        path + "dataVolume",
        "must not import or copy data with spec.genesis");
    Validator validator = node.validator();
    if (validator == null) {
      reject(path + "validator", "must be set with spec.genesis");
      return;
    }
    rejectIf(validator.snapshot() != null, path + "validator.snapshot", made);
    rejectIf(validator.genesisCeremony() != null, path + "validator.genesisCeremony", made);
    rejectIf(validator.signingKey() != null, path + "validator.signingKey", made);
    rejectIf(validator.nodeKey() != null, path + "validator.nodeKey", made);
    rejectIf(validator.remoteSigner() != null, path + "validator.remoteSigner", made);
  }

  private void validators(Genesis genesis, int replicas) {
    int limit =
        Optional.ofNullable(overrides(genesis).get(LIMIT))
            .map(JsonNode::asInt)
            .orElse(MAX_VALIDATORS);
    rejectIf(
        replicas > limit,
        "spec.replicas",
        "the chain would have %d validators at most: set spec.genesis.overrides[%s]"
            .formatted(limit, LIMIT));
  }

  private void stake(Genesis genesis) {
    Optional<Map<String, BigInteger>> staked = coins(genesis.stakingAmount());
    Optional<Map<String, BigInteger>> balance = coins(genesis.accountBalance());
    rejectIf(
        balance.isEmpty(), "spec.genesis.accountBalance", "must be coins, such as 5usei,3uusdc");
    if (staked.filter(values -> values.keySet().equals(Set.of(STAKED))).isEmpty()) {
      reject("spec.genesis.stakingAmount", "must be an amount of usei, such as 10000000usei");
      return;
    }
    BigInteger amount = staked.get().get(STAKED);
    rejectIf(
        amount.compareTo(ONE_POWER) < 0,
        "spec.genesis.stakingAmount",
        "must be at least 1000000usei: less has no voting power");
    rejectIf(
        balance
            .filter(values -> values.getOrDefault(STAKED, BigInteger.ZERO).compareTo(amount) < 0)
            .isPresent(),
        "spec.genesis.accountBalance",
        "must have at least the usei of spec.genesis.stakingAmount");
  }

  private void accounts(List<Genesis.Account> accounts) {
    var addresses = new HashSet<String>();
    rejectIf(
        accounts.size() > MAX_ACCOUNTS,
        "spec.genesis.accounts",
        "must be %d at most".formatted(MAX_ACCOUNTS));
    for (int i = 0; i < accounts.size(); i++) {
      String path = "spec.genesis.accounts[%d]".formatted(i);
      Genesis.Account account = accounts.get(i);
      boolean valid =
          ADDRESS.matcher(account.address()).matches() && Bech32.isValid(account.address());
      rejectIf(!valid, path + ".address", "must be an address of Sei, such as sei1...");
      rejectIf(!addresses.add(account.address()), path + ".address", "is listed twice");
      Optional<Map<String, BigInteger>> balance = coins(account.balance());
      rejectIf(balance.isEmpty(), path + ".balance", "must be coins, such as 5usei");
      if (account.vesting() != null) {
        vesting(account.vesting(), balance.orElse(Map.of()), path + ".vesting");
      }
    }
  }

  private void vesting(Genesis.Vesting vesting, Map<String, BigInteger> balance, String path) {
    Optional<Map<String, BigInteger>> locked = coins(vesting.amount());
    rejectIf(locked.isEmpty(), path + ".amount", "must be coins, such as 5usei");
    rejectIf(
        !balance.isEmpty() && locked.filter(values -> !isWithin(values, balance)).isPresent(),
        path + ".amount",
        "must not be more than the balance");
    rejectIf(
        vesting.endTime() <= now.getEpochSecond(),
        path + ".endTime",
        "must be in the future, in seconds since 1970");
  }

  private static boolean isWithin(Map<String, BigInteger> part, Map<String, BigInteger> whole) {
    return part.entrySet().stream()
        .allMatch(
            entry ->
                entry.getValue().compareTo(whole.getOrDefault(entry.getKey(), BigInteger.ZERO))
                    <= 0);
  }

  private void overrides(Map<String, JsonNode> overrides) {
    overrides.forEach(
        (path, value) -> {
          String field = "spec.genesis.overrides[" + path + "]";
          rejectIf(!PATH.matcher(path).matches(), field, "must be a dotted path within app_state");
          rejectIf(value == null || value.isNull(), field, "must not be null");
        });
  }

  /** Coins by what they are of; empty if the text is none, or names one twice. */
  private static Optional<Map<String, BigInteger>> coins(String text) {
    var coins = new TreeMap<String, BigInteger>();
    for (String part : String.valueOf(text).split(",", -1)) {
      var coin = COIN.matcher(part);
      if (!coin.matches() || coins.put(coin.group(2), new BigInteger(coin.group(1))) != null) {
        return Optional.empty();
      }
    }
    return Optional.of(coins);
  }

  private static Map<String, JsonNode> overrides(Genesis genesis) {
    return genesis.overrides() == null ? Map.of() : genesis.overrides();
  }

  private void rejectIf(boolean broken, String path, String message) {
    if (broken) {
      reject(path, message);
    }
  }

  private void reject(String path, String message) {
    errors.add(new FieldError(path, message));
  }
}
