package dev.plumbline.dast.system;

import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.Step;
import dev.plumbline.dast.Txn;
import dev.plumbline.protocol.ClientDriver.Call;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.LoadRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * TPC-C's payment alone, as in the paper's Figure 6: it adds to a warehouse of the client's region
 * and to a customer there or, for a given share, of another region. Of those that cross regions 60%
 * (parameter {@code byNamePercent}) look the customer up by name: the warehouse's piece then needs
 * a value of the customer's.
 *
 * <p>The two pieces touch one key each; districts and histories are left out.
 */
public final class Payments implements LoadRun.Source {
  /** Latencies inside a region. */
  public static final String IRT = "IRT";

  /** Across regions, by id. */
  public static final String CRT = "CRT without dependency";

  /** Across regions, by name. */
  public static final String DEPENDENT = "CRT with dependency";

  private static final int WAREHOUSES = 20;
  private static final int CUSTOMERS = 600;

  private final DastDeployment layout;
  private final int crossPerMille;
  private final long byNamePercent;
  private long count;

  /**
   * @param crossPerMille how many of a thousand payments are for a customer of another region
   */
  public Payments(Settings settings, int crossPerMille) {
    layout = DastDeployment.of(settings);
    this.crossPerMille = crossPerMille;
    byNamePercent = settings.parameter("byNamePercent", 60);
  }

  @Override
  public LoadRun.Asked next(String region, int client, SplittableRandom random) {
    boolean cross = random.nextInt(1000) < crossPerMille;
    String other = region;
    while (cross && other.equals(region)) {
      other = layout.regions().get(random.nextInt(layout.regions().size()));
    }
    long warehouse = key(region, random.nextInt(WAREHOUSES), random);
    long customer = key(other, WAREHOUSES + random.nextInt(CUSTOMERS), random);
    boolean byName = cross && random.nextInt(100) < byNamePercent;
    Map<String, Txn.Part> parts = new LinkedHashMap<>();
    String home = layout.shard(warehouse);
    String away = layout.shard(customer);
    if (home.equals(away)) {
      parts.put(home, part(Procedures.ACCESS, warehouse, customer));
    } else {
      parts.put(home, part(byName ? Procedures.BOOK : Procedures.ACCESS, warehouse));
      parts.put(away, part(byName ? Procedures.LOOKUP : Procedures.ACCESS, customer));
    }
    String procedure = byName ? Procedures.BY_NAME : Procedures.ACCESS;
    Txn txn = new Txn(Long.toString(++count), procedure, parts);
    List<String> nodes = layout.nodes(region);
    return new LoadRun.Asked(
        new Call(nodes.get(client % nodes.size()), new DastRequest(txn)),
        byName ? DEPENDENT : cross ? CRT : IRT);
  }

  private static Txn.Part part(String piece, long... keys) {
    List<Step> steps = new ArrayList<>();
    for (long key : keys) {
      steps.add(new Step(steps.size(), Step.Kind.ADD, key, 1));
    }
    return new Txn.Part(piece, steps);
  }

  /** The n-th key of a shard of a region. */
  private long key(String region, long n, SplittableRandom random) {
    List<String> all = layout.shards();
    List<String> here = all.stream().filter(s -> layout.shardRegion(s).equals(region)).toList();
    int shard = all.indexOf(here.get(random.nextInt(here.size())));
    return 2 * (n * all.size() + shard);
  }
}
