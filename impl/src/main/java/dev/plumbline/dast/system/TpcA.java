package dev.plumbline.dast.system;

import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.Step;
import dev.plumbline.dast.Txn;
import dev.plumbline.protocol.ClientDriver.Call;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.LoadRun;
import dev.plumbline.sim.Zipf;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * TPC-A as in the paper's Figure 7: a transaction adds an amount to a branch, a teller and an
 * account, each drawn from its table by a Zipfian distribution. Branch and teller are on the
 * client's shard; the account of 15% is another branch's (TPC-A's own share, clause 5.3.5), here in
 * another region. Pieces need no values of each other. The history's rows are left out.
 */
public final class TpcA implements LoadRun.Source {
  private static final int OTHER_PERCENT = 15;
  private static final int BRANCHES = 100;
  private static final int TELLERS = 10 * BRANCHES;
  private static final int ACCOUNTS = 100 * BRANCHES;

  private final DastDeployment layout;
  private final Zipf branches;
  private final Zipf tellers;
  private final Zipf accounts;
  private long count;

  /**
   * @param exponent of the Zipfian distributions; the paper has 0.5 to 1.0
   */
  public TpcA(Settings settings, double exponent) {
    layout = DastDeployment.of(settings);
    branches = new Zipf(BRANCHES, exponent);
    tellers = new Zipf(TELLERS, exponent);
    accounts = new Zipf(ACCOUNTS, exponent);
  }

  @Override
  public LoadRun.Asked next(String region, int client, SplittableRandom random) {
    List<String> here =
        layout.shards().stream().filter(s -> layout.shardRegion(s).equals(region)).toList();
    String home = here.get(client % here.size());
    String away = home;
    boolean cross = random.nextInt(100) < OTHER_PERCENT;
    while (cross && layout.shardRegion(away).equals(region)) {
      away = layout.shards().get(random.nextInt(layout.shards().size()));
    }
    long amount = 1 + random.nextInt(999_999);
    Step branch = add(0, home, branches.next(random), amount);
    Step teller = add(1, home, BRANCHES + tellers.next(random), amount);
    Step account = add(2, away, BRANCHES + TELLERS + accounts.next(random), amount);
    Map<String, Txn.Part> parts = new LinkedHashMap<>();
    if (cross) {
      parts.put(home, new Txn.Part(Procedures.ACCESS, List.of(branch, teller)));
      parts.put(away, new Txn.Part(Procedures.ACCESS, List.of(account)));
    } else {
      parts.put(home, new Txn.Part(Procedures.ACCESS, List.of(branch, teller, account)));
    }
    List<String> replicas = layout.replicas(home);
    Txn txn = new Txn(Long.toString(++count), Procedures.ACCESS, parts);
    return new LoadRun.Asked(
        new Call(replicas.get(random.nextInt(replicas.size())), new DastRequest(txn)),
        cross ? Payments.CRT : Payments.IRT);
  }

  /**
   * The balances of all branches, all tellers and all accounts: equal at rest (TPC-A's consistency
   * condition over its tables).
   *
   * @param stores one copy of each shard
   */
  public static List<Long> balances(List<Map<Long, List<Long>>> stores, int shards) {
    long[] sums = new long[3];
    for (Map<Long, List<Long>> store : stores) {
      store.forEach(
          (key, value) -> {
            long row = key / 2 / shards;
            int table = row < BRANCHES ? 0 : row < BRANCHES + TELLERS ? 1 : 2;
            sums[table] += (Long) Procedures.content(value);
          });
    }
    return List.of(sums[0], sums[1], sums[2]);
  }

  private Step add(int index, String shard, long row, long amount) {
    long place = layout.shards().indexOf(shard);
    long key = 2 * (row * layout.shards().size() + place);
    return new Step(index, Step.Kind.ADD, key, amount);
  }
}
