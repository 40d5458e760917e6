package dev.plumbline.engage;

/**
 * What proves that an update was made. Cloudlets put a seal to every entry of a clock that they
 * give out, and clients carry it along: so a client cannot name an update that nobody made.
 */
public interface Seals {

  /** The seal of a cloudlet's having made so many updates. */
  String of(String cloudlet, long number);

  /** Whether a seal is the one of a cloudlet's having made so many updates. */
  boolean genuine(String cloudlet, long number, String seal);
}
