package dev.plumbline.engage;

import java.util.List;

/** What a cloudlet answers. */
public sealed interface EngageResponse {

  /**
   * A read.
   *
   * @param values the object's value; none if it was never written
   * @param object the object's clock
   * @param cloudlet the cloudlet's clock
   */
  record Value(List<String> values, SealedClock object, VectorClock cloudlet)
      implements EngageResponse {}

  /**
   * A write.
   *
   * @param number its sequence number at the cloudlet
   * @param place among all updates, compared element by element
   * @param kept what the client keeps of the update's tag: all of it, or as published one entry
   * @param cloudlet the cloudlet's clock
   */
  record Written(long number, List<Long> place, SealedClock kept, VectorClock cloudlet)
      implements EngageResponse {}

  /** Nothing was or will be done, for what was asked makes no sense here. */
  record Refused(String why) implements EngageResponse {}
}
