package io.sei.operator.node.signing;

import com.fasterxml.jackson.databind.node.TextNode;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.node.objects.OwnedObjectSync;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.PodParts;
import io.sei.operator.render.ServiceRenderer;
import java.util.Optional;

/** Has seid listen for a signer that dials in, and start with nothing else to sign with. */
record RemoteSigning(KubeApi api, NodeCaches caches, OwnedObjectSync owned) {

  private static final String FILE = "config.toml";

  /** Key in seid's own spelling (sei-tendermint/config); sei-config has no key for it. */
  private static final String KEY = "priv-validator.laddr";

  /**
   * Seid without the key in its configuration would sign with a file. It makes both files where
   * there is no key, over what the other one says ({@code LoadOrGenFilePV} of
   * sei-tendermint/privval/file.go), so the state of a key that signed here goes with it. With what
   * bash has built in, and {@code mv}.
   */
  private static final String SCRIPT =
      """
      section= signer=
      while read -r line || [[ $line ]]; do
        case $line in
          "["*) section=$line ;;
          laddr*=*://*) [[ $section == "[priv-validator]"* ]] && signer=1 ;;
        esac
      done <"$HOME/config/config.toml"
      if [[ ! $signer ]]; then
        echo "config.toml has no laddr in [priv-validator], so seid would sign without its remote signer: \
      take out what spec.configValues sets there" >&2
        exit REFUSED
      fi
      key=$HOME/config/priv_validator_key.json state=$HOME/data/priv_validator_state.json
      if [[ -e $key && ! -e $key.local ]]; then
        [[ ! -e $state ]] || mv "$state" "$state.local" || exit
        mv "$key" "$key.local" || exit
      fi
      unset section signer line key state
      """
          .replace("REFUSED", String.valueOf(PodParts.REFUSED));

  /** A Job of a bootstrap has no signer; a file that once had the key is not left with it. */
  void config(NodeView view, ConfigParts parts) {
    if (parts.shape() == PlanShape.JOB) {
      return;
    }
    view.node()
        .getSpec()
        .remoteSigner()
        .map(signer -> signer.listen())
        .or(() -> Optional.of("").filter(any -> hasKey(view.stored().config())))
        .ifPresent(text -> parts.set(new ConfigValue(FILE, KEY, TextNode.valueOf(text))));
  }

  private static boolean hasKey(AppliedConfig config) {
    return config != null && config.keys() != null && config.keys().contains(FILE + ":" + KEY);
  }

  void pod(SeiNode node, PodParts pod) {
    node.getSpec()
        .remoteSigner()
        .ifPresent(
            signer -> {
              PodSigningKey.remote(signer.publicKey()).forEach(pod::seidVariable);
              pod.beforeSeid(SCRIPT);
            });
  }

  /** Creates or deletes the Service that the signer dials. */
  void keep(NodePass pass) {
    pass.refusals().run(() -> syncService(pass));
  }

  private void syncService(NodePass pass) {
    if (pass.node().getSpec().remoteSigner().isPresent()) {
      var outcome = owned.sync(pass, new ServiceRenderer()::signer, NodeCaches::signerService);
      if (outcome instanceof TaskOutcome.Wait wait) {
        pass.recheckAfter(wait.recheck());
      }
      return;
    }
    caches
        .signerService(pass.node())
        .filter(service -> !service.isMarkedForDeletion())
        .filter(service -> Ownership.isOurs(service, pass.node()))
        .ifPresent(service -> api.delete(service, Propagation.BACKGROUND, false));
  }
}
