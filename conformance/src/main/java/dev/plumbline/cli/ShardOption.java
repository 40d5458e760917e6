package dev.plumbline.cli;

import dev.plumbline.parts.Shard;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code --shard}, for every command whose work several machines can share. */
final class ShardOption {
  /** Who does what, in how many threads, how it is shown and what is kept of it. */
  private static final Set<String> IDLE =
      Set.of(
          "--shard",
          "--fresh",
          "--jobs",
          "--json",
          "--verbose",
          "--workers",
          "--matrix",
          "--keep",
          "--network");

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

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /** The share, of the run that the command line asks for. */
  Shard shard() {
    return shard.of(run(command.commandLine().getParseResult()));
  }

  /** What a command is told, in an order of its own, without what decides nothing. */
  private static String run(ParseResult told) {
    Stream<String> options =
        told.matchedOptionsSet().stream()
            .filter(o -> !IDLE.contains(o.longestName()))
            .map(o -> o.longestName() + "=" + String.join(",", o.originalStringValues()));
    Stream<String> parameters =
        told.matchedPositionalsSet().stream().flatMap(p -> p.originalStringValues().stream());
    return Stream.concat(options, parameters).distinct().sorted().collect(Collectors.joining(" "));
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
