package io.sei.operator.node.signing;

import io.sei.operator.render.PodParts;

/**
 * Keeps a signer from the chain of another volume. Seid takes the chain from the genesis on its
 * volume, and compares it with {@code client.toml} beside it, which is of that volume as well; the
 * record of the key is of {@code spec.chainId}.
 *
 * @param id that chain; needs no quotes, as the schema allows lower-case letters, digits and dashes
 */
record SignedChain(String id) {

  /**
   * Script that uses only builtins of bash, and reads in pieces: a genesis of 200 MB may be one
   * line, for which bash would take 900 MB. Only the key at the top counts, as the state of the
   * application names the chains it relays to. Nothing that may stand beside that state has a
   * {@code chain_id}, so the key at the top is the first of all if it comes before the state, as
   * seid writes it, and the last of all if it comes after. A genesis that is missing seid names
   * itself.
   */
  private static final String SCRIPT =
      """
      genesis=$HOME/config/genesis.json
      if [[ -e $genesis ]]; then
        chain=$(
          LC_ALL=C first= chain= text=
          either='"(app_state|chain_id)"[[:space:]]*:'
          key='"chain_id"[[:space:]]*:[[:space:]]*"([^"]*)"(.*)'
          while IFS= read -r -N 8192 piece || [[ $piece ]]; do
            text+=$piece
            if [[ ! $first && $text =~ $either ]]; then
              first=${BASH_REMATCH[1]}
            fi
            while [[ $text == *'"chain_id"'* && $text =~ $key ]]; do
              chain=${BASH_REMATCH[1]} text=${BASH_REMATCH[2]}
              [[ $first == app_state ]] || break 2
            done
            ((${#text} < 200)) || text=${text: -200}
          done <"$genesis"
          echo "$chain"
        )
        if [[ $chain != "%1$s" ]]; then
          echo "the genesis on the volume is not of chain %1$s, which this key signs for, \
      but of '$chain': give the node the volume of its chain, or create it again with the spec.chainId \
      of the volume" >&2
          exit %2$d
        fi
      fi
      unset genesis chain
      """;

  /** Returns the script that runs before seid. */
  String script() {
    return SCRIPT.formatted(id, PodParts.REFUSED);
  }
}
