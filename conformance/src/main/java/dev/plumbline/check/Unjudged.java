package dev.plumbline.check;

/** This machine kept a run from a verdict: a killed process, too little memory, a full disk. */
public final class Unjudged extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public Unjudged(String message) {
    super(message);
  }
}
