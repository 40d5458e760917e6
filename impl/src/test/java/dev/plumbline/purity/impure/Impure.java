package dev.plumbline.purity.impure;

import dev.plumbline.purity.impure.system.Deployed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Everything that a protocol package must not do. */
class Impure {
  static int counter;
  static final ArrayList<String> seen = new ArrayList<>();
  static final int[] table = {1};

  long clock() {
    return System.nanoTime() + Instant.EPOCH.toEpochMilli() + new AtomicLong().get();
  }

  long deployed() {
    return Deployed.nanos();
  }

  Thread thread() {
    return new Thread(() -> counter++, "impure");
  }

  double random() {
    return Math.random() + new Random().nextInt();
  }

  boolean disk() {
    return Files.exists(Path.of("impure"));
  }

  List<Object> order() {
    List<Object> order = new ArrayList<>(new HashMap<String, String>().keySet());
    order.addAll(Set.of(1, 2));
    return order;
  }
}
