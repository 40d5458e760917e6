package dev.plumbline.machine;

/** A protocol message. Implementations are records whose components Jackson can write and read. */
public interface Message {
  /** About how long it is on the network, where links have limits in the simulator. */
  default int length() {
    return 0;
  }
}
