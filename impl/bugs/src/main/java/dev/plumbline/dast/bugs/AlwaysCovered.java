package dev.plumbline.dast.bugs;

import dev.plumbline.dast.DastMessage.Output;
import dev.plumbline.machine.Message;
import java.util.TreeMap;

/** A shard that could not pay tells the other that it did: a conditional abort on one side only. */
public final class AlwaysCovered extends DastBug {
  public AlwaysCovered() {
    super("always-covered", "a shard that aborts its part tells the others that it did not");
  }

  @Override
  Message altered(Message message) {
    if (!(message instanceof Output output)) {
      return message;
    }
    TreeMap<String, Long> values = new TreeMap<>(output.values());
    values.replaceAll((name, value) -> 1L);
    return new Output(output.txn(), output.shard(), values);
  }
}
