package dev.plumbline.machine;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks the handler that implements an action of the specification. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface SpecAction {
  /** {@code Module.Action}, one for each module in which the step is visible. */
  String[] value();
}
