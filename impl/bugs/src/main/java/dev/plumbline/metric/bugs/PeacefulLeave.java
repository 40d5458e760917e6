package dev.plumbline.metric.bugs;

import dev.plumbline.metric.LockService;
import dev.plumbline.metric.MetricMessage;
import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.StoreClient;

/**
 * Who stops waiting for a lock lets go of it in peace, though it may be its own by now, and is
 * believed.
 */
public final class PeacefulLeave extends MetricBug {
  public PeacefulLeave() {
    super("peaceful-leave", "a lock granted to one who waits no more counts as synchronized");
  }

  @Override
  protected MetricProcess process(MetricProcess.Parts parts) {
    return new MetricProcess(
        parts,
        new StoreClient(parts) {
          @Override
          protected boolean needsNothing(long reference) {
            return reference == 0;
          }
        });
  }

  @Override
  protected LockService locks(LockService correct) {
    return new LockService(correct.config()) {
      @Override
      protected boolean knows(MetricMessage.Release release, long last) {
        return release.reference() == 0 || super.knows(release, last);
      }
    };
  }
}
