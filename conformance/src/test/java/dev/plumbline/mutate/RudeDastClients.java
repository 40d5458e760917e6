package dev.plumbline.mutate;

import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.DastResponse;
import dev.plumbline.dast.Layout;
import dev.plumbline.dast.Piece;
import dev.plumbline.dast.Procedure;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.Step;
import dev.plumbline.dast.Txn;
import dev.plumbline.dast.system.DastSystem;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.protocol.Transaction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/**
 * DAST with clients that do what those of the workloads don't: before a transaction they ask for
 * one that cannot be run, or is as large as one may be; after it they ask for it again, and for
 * another of the same id. What they are answered wrongly is kept in {@link #complaints}.
 */
final class RudeDastClients extends DastSystem {
  private static final String PASSED_ON = "passed-on";

  private final List<String> complaints = new ArrayList<>();

  /** Answers that no client should get. */
  List<String> complaints() {
    return complaints;
  }

  /** One more, whose value goes through three shards. */
  @Override
  protected Procedures procedures(int shards) {
    Procedures procedures = super.procedures(shards);
    procedures.register(
        new Procedure(
            PASSED_ON,
            List.of(
                piece("first", List.of(), List.of("x")),
                piece("second", List.of("x"), List.of("y")),
                piece("third", List.of("y"), List.of()))));
    return procedures;
  }

  private static Piece piece(String name, List<String> inputs, List<String> outputs) {
    return new Piece(
        name,
        inputs,
        outputs,
        (store, steps, in) -> {
          throw new IllegalStateException("this is never asked for in one region");
        });
  }

  @Override
  public ClientDriver client(
      long id, int place, String region, Topology topology, Settings settings) {
    return new Rude(super.client(id, place, region, topology, settings), layout(settings), id);
  }

  private final class Rude extends RudeDriver {
    private final Layout layout;
    private final long number;
    private int begun;
    private Call call;

    Rude(ClientDriver polite, Layout layout, long number) {
      super(polite, complaints);
      this.layout = layout;
      this.number = number;
    }

    @Override
    public Call begin(Transaction next) {
      call = polite.begin(next);
      List<Map.Entry<Txn, Predicate<Record>>> all = all(((DastRequest) call.request()).txn());
      Map.Entry<Txn, Predicate<Record>> one = all.get((int) ((7 * number + begun) % all.size()));
      aside(call.role(), new DastRequest(one.getKey()), one.getValue());
      begun++;
      return (Call) then(call);
    }

    /** What is asked for beforehand, one thing each time; clients begin with different ones. */
    private List<Map.Entry<Txn, Predicate<Record>>> all(Txn txn) {
      String shard = txn.parts().keySet().iterator().next();
      long key = key(shard);
      Step read = new Step(0, Step.Kind.READ, key, 0);
      Txn.Part reads = part(Procedures.ACCESS, read);
      String id = "7" + number + "0" + begun;
      Map<Txn, String> wrong = new LinkedHashMap<>();
      for (String none : List.of("", "x", "-1", "007", "1.5", "1:", "1/", "9".repeat(20))) {
        wrong.put(
            access(none, shard, reads),
            "a transaction's id is a decimal number of at most 19 digits");
      }
      wrong.put(new Txn(id, Procedures.ACCESS, Map.of()), "nothing is asked of any shard");
      wrong.put(access(id, shard, part(Procedures.ACCESS)), "nothing is asked of shard " + shard);
      wrong.put(access(id, shard, part(Procedures.DEBIT, read)), "access has no piece debit");
      wrong.put(
          new Txn(id, "nonsense", Map.of(shard, reads)), "no procedure nonsense is registered");
      wrong.put(
          access(id, shard, new Txn.Part(Procedures.ACCESS, Collections.nCopies(1_001, read))),
          "there are 1001 steps, and 1000 at most may be asked for");
      wrong.put(
          access(
              id,
              shard,
              part(
                  Procedures.ACCESS,
                  new Step(0, Step.Kind.APPEND, key, 1),
                  new Step(1, Step.Kind.ADD, key, 1))),
          "piece access is asked to treat key " + key + " as a number and as a list");
      String beside = beside(shard, true);
      wrong.put(access(id, beside, reads), "key " + key + " is not on shard " + beside);
      wrong.put(
          new Txn(id, Procedures.TRANSFER, Map.of(shard, pay(shard), beside, pay(beside))),
          "two shards are asked for piece debit, whose values others may need");
      String far = beside(shard, false);
      TreeSet<String> regions =
          new TreeSet<>(Set.of(layout.shardRegion(shard), layout.shardRegion(far)));
      wrong.put(
          new Txn(
              id,
              PASSED_ON,
              Map.of(
                  shard,
                  part("first", read),
                  far,
                  part("second", new Step(0, Step.Kind.READ, key(far), 0)),
                  beside,
                  part("third", new Step(0, Step.Kind.READ, key(beside), 0)))),
          "values of a cross-region transaction flow in a circle of regions: "
              + String.join(" <- ", regions.first(), regions.last(), regions.first()));
      List<Map.Entry<Txn, Predicate<Record>>> all = new ArrayList<>();
      wrong.forEach((asks, why) -> all.add(Map.entry(asks, new DastResponse.Refused(why)::equals)));
      Txn longest = access(id + "0".repeat(19 - id.length()), shard, reads);
      Txn largest =
          access(id, shard, new Txn.Part(Procedures.ACCESS, Collections.nCopies(1_000, read)));
      all.add(Map.entry(longest, RudeDastClients::ran));
      all.add(Map.entry(largest, RudeDastClients::ran));
      return all;
    }

    /** Another shard, of the same region or of another one. */
    private String beside(String shard, boolean near) {
      return layout.managers().stream()
          .flatMap(manager -> layout.nodes(layout.region(manager)).stream())
          .map(layout::shardOf)
          .filter(s -> !s.equals(shard))
          .filter(s -> layout.shardRegion(s).equals(layout.shardRegion(shard)) == near)
          .findFirst()
          .orElseThrow();
    }

    private long key(String shard) {
      return LongStream.range(0, 1_000)
          .filter(key -> layout.shard(key).equals(shard))
          .findFirst()
          .orElseThrow();
    }

    private Txn.Part pay(String shard) {
      return part(Procedures.DEBIT, new Step(0, Step.Kind.ADD, key(shard), -1));
    }

    /** Once it is answered: the same again, and something else under its id. */
    @Override
    Next next(Record response) {
      if (response instanceof DastResponse.Refused refused) {
        complain(call.request() + " was refused: " + refused.why());
      } else {
        Txn txn = ((DastRequest) call.request()).txn();
        aside(call.role(), new DastRequest(txn), response::equals);
        aside(
            call.role(),
            new DastRequest(new Txn(txn.id(), PASSED_ON, txn.parts())),
            new DastResponse.Refused("another transaction has the id " + txn.id())::equals);
      }
      return then(polite.answered(response));
    }
  }

  private static boolean ran(Record response) {
    return response instanceof DastResponse.Executed executed && executed.applied();
  }

  private static Txn access(String id, String shard, Txn.Part part) {
    return new Txn(id, Procedures.ACCESS, Map.of(shard, part));
  }

  private static Txn.Part part(String piece, Step... steps) {
    return new Txn.Part(piece, List.of(steps));
  }
}
