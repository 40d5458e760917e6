package dev.plumbline.engage.bugs;

import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.TreeCloudlet;
import dev.plumbline.engage.Update;
import java.util.List;

/** A cloudlet does not send its updates again when the tree begins anew. */
public final class SilentSource extends EngageBug {
  public SilentSource() {
    super("silent-source", "a cloudlet does not send its updates again when the tree begins anew");
  }

  @Override
  protected TreeCloudlet cloudlet(EngageConfig config, Layout layout, String name) {
    return new TreeCloudlet(config, layout, name) {
      @Override
      protected List<Update> own() {
        return List.of();
      }
    };
  }
}
