package dev.plumbline.parts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardTest {
  private static final List<Integer> PARTS = IntStream.rangeClosed(1, 40).boxed().toList();

  private static List<Integer> of(int index, int count) {
    return new Shard(index, count).of(PARTS, p -> "part " + p, p -> p);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 41})
  void everyPartIsDoneOnce(int count) {
    List<Integer> all = new ArrayList<>();
    IntStream.rangeClosed(1, count).forEach(i -> all.addAll(of(i, count)));
    assertThat(all).containsExactlyInAnyOrderElementsOf(PARTS);
  }

  @Test
  void shardsEndTogether() {
    for (int i = 1; i <= 4; i++) {
      assertThat(of(i, 4).stream().mapToInt(p -> p).sum()).isBetween(195, 215);
    }
  }

  @Test
  void theSplitDependsOnContentAndNotOnOrder() {
    List<Integer> reversed = new ArrayList<>(PARTS);
    java.util.Collections.reverse(reversed);
    assertThat(new Shard(2, 3).of(reversed, p -> "part " + p, p -> 5))
        .containsExactlyInAnyOrderElementsOf(new Shard(2, 3).of(PARTS, p -> "part " + p, p -> 5));
    assertThat(new Shard(2, 3).of(PARTS, p -> "other " + p, p -> 5))
        .isNotEqualTo(new Shard(2, 3).of(PARTS, p -> "part " + p, p -> 5));
  }

  @Test
  void aPartOfUnknownCostCountsAsTheMedian() {
    Function<Integer, String> content = p -> "part " + p;
    List<Integer> unknown = new Shard(1, 2).of(PARTS, content, p -> p == 40 ? 0 : 10);
    assertThat(unknown).hasSize(20);
  }

  @Test
  void remaindersAreSpread() {
    long first =
        IntStream.range(0, 40)
            .filter(s -> !new Shard(1, 4).of(List.of(s), p -> "stage " + p, p -> 1).isEmpty())
            .count();
    assertThat(first).isBetween(3L, 20L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0/3", "4/3", "1", "1/0", "a/b", "-1/2", "1/2/3"})
  void whatIsNoShardIsRefused(String text) {
    assertThatThrownBy(() -> Shard.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
