package dev.plumbline.tlc;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import tlc2.value.impl.BoolValue;
import tlc2.value.impl.FcnRcdValue;
import tlc2.value.impl.IntValue;
import tlc2.value.impl.ModelValue;
import tlc2.value.impl.RecordValue;
import tlc2.value.impl.SetEnumValue;
import tlc2.value.impl.StringValue;
import tlc2.value.impl.TupleValue;
import tlc2.value.impl.Value;
import util.UniqueString;

/**
 * A TLA+ value. Terms belong to the specification that was loaded when they were made: model values
 * are renumbered by the next load. Equal values are equal terms.
 */
public final class Term {
  final Value value;

  Term(Value value) {
    this.value = value;
  }

  public static Term of(int n) {
    return new Term(IntValue.gen(n));
  }

  public static Term of(boolean b) {
    return new Term(b ? BoolValue.ValTrue : BoolValue.ValFalse);
  }

  /** A string, even where the specification has a model value of that name. */
  public static Term string(String s) {
    return new Term(new StringValue(parsable(s)));
  }

  /**
   * What stands for a word in TLA+'s text and in values: TLC's parser takes no string with a
   * backtick. Two words that differ stay different.
   */
  public static String parsable(String word) {
    return word.indexOf('`') < 0 && word.indexOf('\'') < 0
        ? word
        : word.replace("'", "''").replace("`", "'.");
  }

  /**
   * The model value of that name.
   *
   * @throws InputError when the loaded specification has none
   */
  public static Term model(String name) {
    UniqueString unique = UniqueString.uniqueStringOf(name);
    for (ModelValue m : ModelValue.mvs) {
      if (m.val == unique) {
        return new Term(m);
      }
    }
    throw new InputError("", 0, "the specification has no model value " + name, "");
  }

  public static Term record(Map<String, Term> fields) {
    UniqueString[] names = new UniqueString[fields.size()];
    Value[] values = new Value[names.length];
    int i = 0;
    for (Map.Entry<String, Term> field : fields.entrySet()) {
      names[i] = UniqueString.uniqueStringOf(parsable(field.getKey()));
      values[i++] = field.getValue().value;
    }
    RecordValue r = new RecordValue(names, values, false);
    r.deepNormalize();
    return new Term(r);
  }

  /** A function with the given arguments and results. */
  public static Term function(Map<Term, Term> pairs) {
    FcnRcdValue f = new FcnRcdValue(values(pairs.keySet()), values(pairs.values()), false);
    f.deepNormalize();
    return new Term(f);
  }

  public static Term set(Collection<Term> elements) {
    SetEnumValue s = new SetEnumValue(values(elements), false);
    s.deepNormalize();
    return new Term(s);
  }

  public static Term sequence(Collection<Term> elements) {
    return new Term(new TupleValue(values(elements)));
  }

  private static Value[] values(Collection<Term> terms) {
    return terms.stream().map(t -> t.value).toArray(Value[]::new);
  }

  /**
   * The elements of a finite set, in TLC's order.
   *
   * @throws IllegalArgumentException when it is no finite set
   */
  public List<Term> elements() {
    if (!(value.toSetEnum() instanceof SetEnumValue s)) {
      throw new IllegalArgumentException(value + " is no finite set");
    }
    s.normalize();
    List<Term> all = new ArrayList<>(s.elems.size());
    for (int i = 0; i < s.elems.size(); i++) {
      all.add(new Term(s.elems.elementAt(i)));
    }
    return all;
  }

  /** The field of a record. */
  public Term field(String name) {
    return new Term(((RecordValue) value.toRcd()).select(new StringValue(name)));
  }

  /** One object for each object that TLC keeps; equal values may have several. */
  public Object identity() {
    return value;
  }

  public JsonNode json() {
    return Json.of(value);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Term t && (value == t.value || value.equals(t.value));
  }

  @Override
  public int hashCode() {
    return Long.hashCode(value.fingerPrint(0x9E3779B97F4A7C15L));
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
