package dev.plumbline.cli;

import dev.plumbline.parts.Shard;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code --shard}, for every command whose work several machines can share. */
final class ShardOption {
  /** Reads {@code I/N}. */
  static final class Converter implements ITypeConverter<Shard> {
    @Override
    public Shard convert(String text) {
      try {
        return Shard.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }

  @Option(
      names = "--shard",
      paramLabel = "I/N",
      converter = Converter.class,
      description =
          "Do the I-th of N shares of the work; ./plumb merge joins what the N machines found.")
  private Shard shard = Shard.WHOLE;

  Shard shard() {
    return shard;
  }

  /** An empty share is no error, but it must not look like work that was done. */
  void sayIfEmpty(PrintWriter err, List<?> mine, List<?> all, String what) {
    if (mine.isEmpty()) {
      err.println(
          "plumb: shard "
              + shard
              + " has none of the "
              + all.size()
              + " "
              + what
              + ": use fewer shards");
      err.flush();
    }
  }
}
