package io.sei.operator.fleet.genesis;

import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.Validator.NodeKey;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import java.util.List;
import java.util.stream.Collectors;

/**
 * PURE: what the container of a ceremony does with seid's own commands, in the order that Sei's
 * scripts have them. Each validator has a home of its own, with its keys; the first one's genesis
 * is the chain's. All that the tools say goes to standard error, and the block alone to standard
 * output.
 *
 * <p>Nothing in it needs quotes: {@link GenesisRules} allows letters, digits and dashes, and commas
 * between coins. No key is an argument or a variable.
 */
final class CeremonyScript {

  /** Mount path of the keys of a validator, each set in a directory of its ordinal. */
  static final String KEYS = "/keys";

  /** The file with the words of the validator's account. */
  static final String WORDS_FILE = "mnemonic";

  private static final String KEYRING = "--keyring-backend test";

  private static final String SCRIPT =
      """
      set -euo pipefail
      exec 3>&1 1>&2
      cd "$HOME"
      for i in %1$s; do
        seid init %2$s-$i --chain-id %3$s --home "$HOME/$i" --overwrite
        cp %4$s/$i/%5$s %4$s/$i/%6$s "$HOME/$i/config/"
        seid keys add validator --recover %7$s --home "$HOME/$i" < %4$s/$i/%8$s \
          > /dev/null 2>&1 || { echo "seid keys add failed, which may name the words"; exit 1; }
        address=$(seid keys show validator -a %7$s --home "$HOME/$i")
        seid add-genesis-account "$address" %9$s --home "$HOME/0"
      done
      %10$s\
      mkdir -p "$HOME/0/config/gentx"
      for i in %1$s; do
        if [ "$i" != 0 ]; then cp "$HOME/0/config/genesis.json" "$HOME/$i/config/genesis.json"; fi
        seid gentx validator %11$s --chain-id %3$s %7$s --home "$HOME/$i"
        if [ "$i" != 0 ]; then cp "$HOME/$i"/config/gentx/*.json "$HOME/0/config/gentx/"; fi
      done
      seid collect-gentxs --home "$HOME/0"
      seid validate-genesis --home "$HOME/0"
      gzip -9 -n -c "$HOME/0/config/genesis.json" > genesis.gz
      exec 1>&3
      """;

  private CeremonyScript() {}

  /**
   * The script.
   *
   * @param fleet its name, which with the ordinal is the moniker of a validator
   * @param genesis one that keeps {@link GenesisRules}
   * @param ordinals of the validators, from 0
   */
  static String of(String fleet, Genesis genesis, List<Integer> ordinals) {
    String places = ordinals.stream().map(String::valueOf).collect(Collectors.joining(" "));
    return SCRIPT.formatted(
            places,
            fleet,
            genesis.chainId(),
            KEYS,
            NodeKey.FILE,
            SigningKey.FILE,
            KEYRING,
            WORDS_FILE,
            genesis.accountBalance(),
            accounts(genesis),
            genesis.stakingAmount())
        + GenesisBlock.SCRIPT.formatted("genesis.gz");
  }

  private static String accounts(Genesis genesis) {
    return genesis.accounts() == null
        ? ""
        : genesis.accounts().stream()
            .map(
                account ->
                    "seid add-genesis-account %s %s%s --home \"$HOME/0\"\n"
                        .formatted(
                            account.address(), account.balance(), vesting(account.vesting())))
            .collect(Collectors.joining());
  }

  /** Without a start seid makes all of it free at the end. */
  private static String vesting(Genesis.Vesting vesting) {
    if (vesting == null) {
      return "";
    }
    return " --vesting-amount %s --vesting-end-time %d%s"
        .formatted(
            vesting.amount(),
            vesting.endTime(),
            Boolean.TRUE.equals(vesting.delayed())
                ? ""
                : " --vesting-start-time \"$(printf '%(%s)T' -1)\"");
  }
}
