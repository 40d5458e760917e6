package dev.plumbline.tlc;

import tlc2.value.impl.FcnLambdaValue;
import tlc2.value.impl.FcnRcdValue;
import tlc2.value.impl.IntervalValue;
import tlc2.value.impl.RecordValue;
import tlc2.value.impl.SetEnumValue;
import tlc2.value.impl.TupleValue;
import tlc2.value.impl.Value;
import tlc2.value.impl.ValueVec;

/** Values that refer to no state. */
final class Plain {
  private Plain() {}

  /** An equal value; parts of {@code value} are put in its parts' places. */
  static Value of(Value value) {
    if (value instanceof FcnLambdaValue function) {
      return of(function.toFcnRcd());
    }
    if (value instanceof FcnRcdValue function) {
      all(function.values);
      if (function.domain != null) {
        all(function.domain);
      }
    } else if (value instanceof RecordValue record) {
      all(record.values);
    } else if (value instanceof TupleValue tuple) {
      all(tuple.elems);
    } else if (value instanceof SetEnumValue set) {
      ValueVec elements = set.elems;
      for (int i = 0; i < elements.size(); i++) {
        elements.setElementAt(of(elements.elementAt(i)), i);
      }
    } else if (!(value instanceof IntervalValue)) {
      Value listed = value.toSetEnum();
      return listed == null || listed == value ? value : of(listed);
    }
    return value;
  }

  private static void all(Value[] values) {
    for (int i = 0; i < values.length; i++) {
      values[i] = of(values[i]);
    }
  }
}
