package dev.plumbline.engage.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.engage.Seals;
import dev.plumbline.protocol.Secret;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HmacSealsTest {
  private static final Secret SECRET = new Secret("5a".repeat(32));

  private static Seals seals(String hex, long cluster) {
    return new HmacSeals(new Secret(hex), cluster);
  }

  @Test
  void aSealIsForOneNumberOfOneCloudletOfOneCluster() {
    String hex = SECRET.hex();
    Seals seals = seals(hex, 1);
    List<String> all = new ArrayList<>();
    all.add(seals.of("c1", 7));
    all.add(seals.of("c1", 8));
    all.add(seals.of("c2", 7));
    all.add(seals(hex, 2).of("c1", 7));
    all.add(seals("6b".repeat(32), 1).of("c1", 7));
    all.add(new HmacSeals(Secret.NONE, 1).of("c1", 7));

    assertThat(new LinkedHashSet<>(all)).hasSameSizeAs(all);
    assertThat(all).allMatch(seal -> seal.matches("[A-Za-z0-9_-]{16}"));
    for (String seal : all) {
      assertThat(seals.genuine("c1", 7, seal)).isEqualTo(seal.equals(all.get(0)));
    }
    assertThat(seals(hex, 1).genuine("c1", 7, all.get(0))).as("every node makes the same").isTrue();
  }

  @Test
  void whatIsNoSealIsNotGenuine() {
    Seals seals = seals(SECRET.hex(), 1);
    String seal = seals.of("c1", 7);
    for (String no :
        Set.of("", seal.substring(1), seal + "A", "\u2028", seal.toLowerCase(Locale.ROOT))) {
      assertThat(seals.genuine("c1", 7, no)).as(no).isFalse();
    }
  }

  /** By Python's hmac module: whoever writes a node of another kind makes the same. */
  @Test
  void itIsHmacOfSha256CutToTwelveBytes() {
    assertThat(seals(SECRET.hex(), 4_711).of("c1", 7)).isEqualTo("HEiYIl45VTZOQ5pB");
  }

  @Test
  void aSecretIsLongAndInNoLog() {
    for (String no : List.of("", "5a", "5a".repeat(31), "5A".repeat(32), "5a".repeat(32) + "5")) {
      assertThatThrownBy(() -> new Secret(no)).hasMessageContaining("64 hexadecimal digits");
    }
    assertThat(SECRET.toString()).doesNotContain("5a");
  }
}
