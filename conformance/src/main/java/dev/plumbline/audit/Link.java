package dev.plumbline.audit;

/**
 * One link of the chain.
 *
 * @param id unique among those of its protocol and kind
 * @param text what it is, in a line
 * @param place file, and line where there is one, from the repository's root; or empty
 * @param command that shows it again, or empty
 * @param verdict the last one, in the word of who gave it; empty where none is given
 * @param state what the verdict is worth
 * @param date of the verdict, or empty
 * @param commit of the verdict, or empty
 * @param page a page to step through what was found, from the audit's folder; or empty
 */
record Link(
    Kind kind,
    String id,
    String text,
    String place,
    String command,
    String verdict,
    State state,
    String date,
    String commit,
    String page) {

  /** What a verdict is worth. */
  enum State {
    /** It came out as expected, of today's input. */
    SHOWN,
    /** It stands in a file, and nobody has to run it. */
    STATED,
    /** The lane does not ask for it, and nothing is stored. */
    UNASKED,
    /** Nothing is stored, or what is stored is of another input. */
    OPEN,
    /** It failed, or what it names is not there. */
    BROKEN
  }

  static Link stated(Kind kind, String id, String text, String place) {
    return new Link(kind, id, text, place, "", "", State.STATED, "", "", "");
  }

  static Link broken(Kind kind, String id, String text, String place, String why) {
    return new Link(kind, id, text, place, "", why, State.BROKEN, "", "", "");
  }

  /** The same with a verdict. */
  Link told(String by, String said, State worth, String on, String at) {
    return new Link(kind, id, text, place, by, said, worth, on, at, page);
  }

  /** The same with a page to step through. */
  Link on(String html) {
    return new Link(kind, id, text, place, command, verdict, state, date, commit, html);
  }

  /** As the list of links has it. */
  String key() {
    return kind.word() + " " + id;
  }
}
