package dev.plumbline.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

class RocksStoreTest extends LogStoreContract {
  @Override
  LogStore store() {
    return new RocksStore(folder);
  }

  @Override
  void lose() throws IOException {
    try (Stream<Path> all = Files.walk(RocksStore.log(folder))) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
