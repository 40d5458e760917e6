package dev.plumbline.tlc;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tla2sany.semantic.AtNode;
import tla2sany.semantic.ExprNode;
import tla2sany.semantic.FormalParamNode;
import tla2sany.semantic.LabelNode;
import tla2sany.semantic.LetInNode;
import tla2sany.semantic.ModuleNode;
import tla2sany.semantic.OpApplNode;
import tla2sany.semantic.OpArgNode;
import tla2sany.semantic.OpDeclNode;
import tla2sany.semantic.OpDefNode;
import tla2sany.semantic.SemanticNode;
import tla2sany.semantic.StringNode;
import tla2sany.semantic.SubstInNode;
import tla2sany.st.Location;

/** The definitions of a module as trees whose every node knows its place in the text. */
public final class Syntax {
  private Syntax() {}

  /** Lines and columns from 1, both ends included. */
  public record Place(String module, int line, int column, int lastLine, int lastColumn) {}

  public enum Kind {
    /** An operator of TLA+ itself, by the name that SANY gives it. */
    BUILT_IN,
    /** An operator that some module defines. */
    DEFINED,
    /** A variable. */
    VARIABLE,
    /** A constant, parameter or bound name. */
    NAME,
    STRING,
    /** LET: one DEFINITION for each local operator, then the body. */
    LET,
    DEFINITION,
    OTHER
  }

  /**
   * An expression. Quantifiers, CHOOSE and set filters have the sets they range over as first
   * children and what they say of the elements as last.
   *
   * @param name of the operator or the name; conjunctions are {@code /\}, disjunctions {@code \/}
   *     however they are written. SANY does not tell where an {@code @} stands: its place is the
   *     EXCEPT component's
   * @param level 0 constant, 1 state, 2 action, 3 temporal
   */
  public record Node(Kind kind, String name, int level, Place place, List<Node> children) {
    public Node last() {
      return children.get(children.size() - 1);
    }

    public boolean is(String builtIn) {
      return kind == Kind.BUILT_IN && name.equals(builtIn);
    }
  }

  /** A definition at the top of a module. */
  public record Definition(String name, List<String> parameters, int level, Node body) {
    public String module() {
      return body.place().module();
    }
  }

  private static final Map<String, String> NAMES =
      Map.of(
          "$ConjList", "/\\",
          "\\land", "/\\",
          "$DisjList", "\\/",
          "\\lor", "\\/",
          "$BoundedExists", "\\E",
          "$BoundedForall", "\\A",
          "$BoundedChoose", "CHOOSE",
          "\\leq", "<=",
          "=<", "<=",
          "\\geq", ">=");

  /**
   * All definitions that the module has, its own and those of modules it extends, by name.
   *
   * @throws InputError when a module does not parse
   */
  public static Map<String, Definition> definitions(Path file, List<Path> library) {
    ModuleNode module = Modules.parsed(file, library);
    Map<String, Definition> all = new LinkedHashMap<>();
    for (OpDefNode d : module.getOpDefs()) {
      if (d.getTreeNode() == null || d.getBody() == null) {
        continue;
      }
      List<String> parameters = new ArrayList<>();
      for (FormalParamNode p : d.getParams()) {
        parameters.add(p.getName().toString());
      }
      String name = d.getName().toString();
      all.put(name, new Definition(name, parameters, d.getLevel(), node(d.getBody())));
    }
    return all;
  }

  private static Node node(SemanticNode n) {
    if (n instanceof LabelNode l) {
      return node(l.getBody());
    }
    if (n instanceof SubstInNode s) {
      return node(s.getBody());
    }
    if (n instanceof LetInNode let) {
      List<Node> children = new ArrayList<>();
      for (OpDefNode d : let.getLets()) {
        Node body = node(d.getBody());
        children.add(
            new Node(
                Kind.DEFINITION, d.getName().toString(), d.getLevel(), place(d), List.of(body)));
      }
      children.add(node(let.getBody()));
      return new Node(Kind.LET, "LET", let.getLevel(), place(n), children);
    }
    if (n instanceof OpApplNode a) {
      return application(a);
    }
    if (n instanceof StringNode s) {
      return new Node(Kind.STRING, s.getRep().toString(), 0, place(n), List.of());
    }
    if (n instanceof AtNode at) {
      return new Node(Kind.OTHER, "@", at.getLevel(), place(n), List.of());
    }
    int level = n instanceof ExprNode e ? e.getLevel() : 0;
    String name = n instanceof OpArgNode o ? o.getName().toString() : "";
    return new Node(Kind.OTHER, name, level, place(n), List.of());
  }

  private static Node application(OpApplNode a) {
    List<Node> children = new ArrayList<>();
    if (a.getBdedQuantBounds() != null) {
      for (ExprNode bound : a.getBdedQuantBounds()) {
        children.add(node(bound));
      }
    }
    for (SemanticNode arg : a.getArgs()) {
      if (arg != null) {
        children.add(node(arg));
      }
    }
    String name = a.getOperator().getName().toString();
    Kind kind = Kind.NAME;
    if (a.getOperator() instanceof OpDeclNode d && d.getKind() == OpDeclNode.VariableDeclKind) {
      kind = Kind.VARIABLE;
    } else if (a.getOperator() instanceof OpDefNode d) {
      kind = d.getKind() == OpDefNode.BuiltInKind ? Kind.BUILT_IN : Kind.DEFINED;
    }
    return new Node(kind, NAMES.getOrDefault(name, name), a.getLevel(), place(a), children);
  }

  private static Place place(SemanticNode n) {
    Location l = n.getLocation();
    return new Place(l.source(), l.beginLine(), l.beginColumn(), l.endLine(), l.endColumn());
  }
}
