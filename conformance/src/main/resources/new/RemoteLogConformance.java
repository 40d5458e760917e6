package ${package}.binding;

import ${package}.system.RemoteLogSystem;
import dev.plumbline.bind.BoundProtocol;

/** The protocol's side of conformance: its modules' bindings, the main one first. */
public final class RemoteLogConformance extends BoundProtocol {
  public RemoteLogConformance() {
    super(new RemoteLogSystem(), RemoteLogBinding::new);
  }
}
