package dev.plumbline.audit;

import dev.plumbline.audit.ClaimsFile.Argued;
import dev.plumbline.check.Checks.Claim;
import java.util.List;
import java.util.Optional;

/**
 * A claim and all links between it and its evidence, in the order of the chain.
 *
 * @param sentence where it ended, with its bounds, from stored results
 * @param ended where it ended, as claims.yaml says it
 * @param argued why links are missing
 */
record Chain(
    String protocol,
    Claim claim,
    String sentence,
    String ended,
    List<Link> links,
    List<Argued> argued) {

  List<Link> of(Kind kind) {
    return links.stream().filter(l -> l.kind() == kind).toList();
  }

  /** Whether there is a link of a kind that is not one of this machine's last run alone. */
  boolean has(Kind kind) {
    return of(kind).stream().anyMatch(l -> !l.id().startsWith(Chains.GENERATED));
  }

  /** Why a kind of link is missing, if that is argued. */
  Optional<String> why(Kind kind) {
    return argued.stream().filter(a -> a.covers(kind, claim.id())).map(Argued::why).findFirst();
  }
}
