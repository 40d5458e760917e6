package dev.plumbline.metric.sql.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.metric.sql.log.RedoEntry.Change;
import dev.plumbline.metric.sql.log.RedoEntry.Counter;
import dev.plumbline.metric.sql.log.RedoEntry.Ddl;
import dev.plumbline.metric.sql.log.RedoEntry.End;
import dev.plumbline.metric.sql.log.RedoEntry.Part;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class RedoEntryTest {
  @Provide
  Arbitrary<RedoEntry> entries() {
    // A lone surrogate is no text.
    Arbitrary<String> text =
        Arbitraries.strings()
            .withCharRange('\u0000', '\ud7ff')
            .ofMaxLength(20)
            .map(s -> s.isEmpty() ? "🐘" : s);
    Arbitrary<String> maybe = text.injectNull(0.3);
    Arbitrary<Part> part =
        Arbitraries.oneOf(
            Combinators.combine(text, maybe, maybe).as(Change::new),
            Combinators.combine(text, text).as(Counter::new),
            Combinators.combine(text, text).as(Ddl::new),
            text.map(End::new));
    return Combinators.combine(text, part.list().ofMaxSize(6)).as(RedoEntry::new);
  }

  @Property(tries = 200)
  void anEntryComesBack(@ForAll("entries") RedoEntry entry) throws IOException {
    assertThat(RedoEntry.decode(entry.encode())).isEqualTo(entry);
  }

  @Property(tries = 300)
  void aDamagedEntryIsRefusedOrAnother(
      @ForAll("entries") RedoEntry entry, @ForAll int at, @ForAll byte change) {
    byte[] bytes = entry.encode();
    bytes[Math.floorMod(at, bytes.length)] ^= change;
    try {
      RedoEntry.decode(bytes);
    } catch (IOException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  @Test
  void whatIsCutOrLongerIsRefused() {
    byte[] bytes = new RedoEntry("r", List.of(new Change("t", null, "(1)"))).encode();
    assertThatThrownBy(() -> RedoEntry.decode(Arrays.copyOf(bytes, bytes.length - 3)))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> RedoEntry.decode(Arrays.copyOf(bytes, bytes.length + 1)))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> RedoEntry.decode(new byte[0])).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> RedoEntry.decode(new byte[] {-1, -1, -1, -1, 15, 0}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no more than");
  }

  /** It would be written, for it is small when it is compressed. */
  @Test
  void whatNobodyCouldReadDoesNotFit() throws IOException {
    Change large = new Change("t", null, "ü".repeat(1 << 20));
    assertThat(new RedoEntry("r", Collections.nCopies(127, large)).fits()).isTrue();
    assertThat(new RedoEntry("r", Collections.nCopies(128, large)).fits()).isFalse();
    assertThat(new RedoEntry("r", Collections.nCopies(13_000_000, new Counter("", ""))).fits())
        .isFalse();
  }

  @Test
  void equalRowsAreSmall() {
    String row = "(1,\"a row that is like the next one\")";
    List<Part> parts = new java.util.ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      parts.add(new Change("t", null, row));
    }
    assertThat(new RedoEntry("r", parts).encode()).hasSizeLessThan(1000 * row.length() / 10);
  }

  /** What is said to grow too long before it is whole would not fit the log: nothing else is. */
  @Test
  void onlyWhatDoesNotFitGrowsTooLong() {
    Random random = new Random(1);
    List<IntFunction<Change>> shapes =
        List.of(
            i -> new Change("public.t", null, "\u00e4" + Long.toHexString(random.nextLong())),
            i -> {
              String row = i + "|" + Long.toHexString(random.nextLong());
              return new Change("public.t", row + "|0", row + "|1");
            },
            i -> new Change("public.t", null, Long.toString(random.nextLong(), 36).repeat(20)));
    for (IntFunction<Change> shape : shapes) {
      List<Part> parts = new ArrayList<>();
      try (RedoEntry.Growth growth = new RedoEntry.Growth()) {
        boolean fits = true;
        while (fits) {
          parts.add(shape.apply(parts.size()));
          fits = growth.fits(parts.get(parts.size() - 1));
        }
      }
      assertThat(new RedoEntry("r", parts).encode()).hasSizeGreaterThan(MetricProcess.LONGEST);
    }
  }
}
