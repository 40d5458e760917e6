package dev.plumbline.tlc;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tla2sany.drivers.FrontEndException;
import tla2sany.drivers.SANY;
import tla2sany.modanalyzer.SpecObj;
import tla2sany.parser.TLAplusParser;
import tla2sany.semantic.ModuleNode;
import tla2sany.semantic.OpDeclNode;
import tla2sany.semantic.OpDefNode;
import tla2sany.st.Location;

/** What a module declares and defines, read with TLA+'s own parser (SANY). */
public final class Modules {
  private static final Pattern LINE = Pattern.compile("line (\\d+)(?:, col(?:umn)? (\\d+))?");
  private static final Pattern MODULE = Pattern.compile("of module (\\w+)|[Mm]odule (\\w+)");

  private static final Pattern READ = Pattern.compile("(?m)^Parsing file (.+)$");
  private static final Pattern BEGINNING = Pattern.compile("-{4,}[ \\t]*MODULE\\b");

  private Modules() {}

  /**
   * One operator: {@code level} is 0 constant, 1 state, 2 action, 3 temporal; {@code comment} is
   * the comment before the definition, or empty; {@code module} and {@code line} say where it
   * stands.
   */
  public record Operator(
      String name,
      List<String> parameters,
      int level,
      String comment,
      String module,
      int line,
      int lastLine) {}

  /** A CONSTANT or VARIABLE. */
  public record Declaration(String name, String module, int line) {}

  /** A module with everything it gets from the modules it extends. */
  public record Module(
      String name,
      Map<String, Declaration> constants,
      Map<String, Declaration> variables,
      Map<String, Operator> operators) {}

  /**
   * Parses {@code file} and the modules it reaches, looked for beside it and then in {@code
   * library}.
   *
   * @throws InputError naming file and line of the first parse or semantic error
   */
  public static Module parse(Path file, List<Path> library) {
    ModuleNode module = parsed(file, library);
    return new Module(
        module.getName().toString(),
        declarations(module.getConstantDecls()),
        declarations(module.getVariableDecls()),
        operators(module));
  }

  /** What SANY says of an expression that is none; empty if it is one. Names are not looked up. */
  public static synchronized Optional<String> misspelt(String expression) {
    Tlc.start();
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    Tlc.output(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      String module = "---- MODULE M ----\nE == " + expression + "\n====\n";
      if (new TLAplusParser(new StringReader(module)).parse()) {
        return Optional.empty();
      }
    } catch (RuntimeException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    } finally {
      Tlc.silence();
    }
    String text = said.toString(StandardCharsets.UTF_8).replace("***Parse Error***", "");
    int trace = text.indexOf("Residual stack trace");
    return Optional.of(
        (trace < 0 ? text : text.substring(0, trace)).strip().replaceAll("\\s+", " "));
  }

  static synchronized ModuleNode parsed(Path file, List<Path> library) {
    Tlc.start();
    String root = file.getFileName().toString().replaceAll("\\.tla$", "");
    SpecObj spec = new SpecObj(root, Tlc.resolver(file, file, library));
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream sink = new PrintStream(said, true, StandardCharsets.UTF_8);
    Tlc.output(sink);
    int code;
    try {
      code = SANY.frontEndMain(spec, root, sink);
    } catch (FrontEndException | RuntimeException e) {
      code = -1;
    } finally {
      Tlc.silence();
    }
    if (code != 0 || !spec.parseErrors.isSuccess() || !spec.semanticErrors.isSuccess()) {
      throw error(file, library, spec, said.toString(StandardCharsets.UTF_8));
    }
    ModuleNode module = spec.getExternalModuleTable().getRootModule();
    if (module == null) {
      throw error(file, library, spec, said.toString(StandardCharsets.UTF_8));
    }
    return module;
  }

  private static Map<String, Declaration> declarations(OpDeclNode[] nodes) {
    Map<String, Declaration> all = new LinkedHashMap<>();
    for (OpDeclNode n : nodes) {
      Location l = n.getLocation();
      all.put(
          n.getName().toString(),
          new Declaration(n.getName().toString(), l.source(), l.beginLine()));
    }
    return all;
  }

  private static Map<String, Operator> operators(ModuleNode module) {
    Map<String, Operator> all = new LinkedHashMap<>();
    for (OpDefNode d : module.getOpDefs()) {
      if (d.getTreeNode() == null) {
        continue;
      }
      List<String> parameters = new ArrayList<>();
      for (var p : d.getParams()) {
        parameters.add(p.getName().toString());
      }
      Location l = d.getLocation();
      String comment = String.join("\n", d.getPreComments());
      all.put(
          d.getName().toString(),
          new Operator(
              d.getName().toString(),
              parameters,
              d.getLevel(),
              comment,
              l.source(),
              l.beginLine(),
              l.endLine()));
    }
    return all;
  }

  private static InputError error(Path file, List<Path> library, SpecObj spec, String said) {
    String[] parse =
        spec.parseErrors.getAborts().length > 0
            ? spec.parseErrors.getAborts()
            : spec.parseErrors.getErrors();
    String[] semantic =
        spec.semanticErrors.getAborts().length > 0
            ? spec.semanticErrors.getAborts()
            : spec.semanticErrors.getErrors();
    Path last = parse.length + semantic.length == 0 ? lastRead(said) : null;
    if (last != null && !beginsModule(last)) {
      return new InputError(
          last.toString(), 0, "holds no module", "begin it with ---- MODULE NAME ----");
    }
    String text = parse.length > 0 ? parse[0] : semantic.length > 0 ? semantic[0] : said;
    int at = said.indexOf("***Parse Error***");
    if (parse.length > 0 && at >= 0) {
      text = said.substring(at);
    }
    Matcher line = LINE.matcher(text);
    int lineNumber = line.find() ? Integer.parseInt(line.group(1)) : 0;
    Path where = file;
    Matcher module = MODULE.matcher(text);
    while (module.find()) {
      String name = module.group(1) != null ? module.group(1) : module.group(2);
      Path found = locate(name, file.toAbsolutePath().getParent(), library);
      if (found != null) {
        where = found;
        break;
      }
    }
    String message =
        text.replaceAll("line \\d+, col \\d+ to line \\d+, col \\d+ of module \\w+", "");
    message =
        message
            .replaceAll("\\*\\*\\*Parse Error\\*\\*\\*|\\s*Residual stack trace[\\s\\S]*", "")
            .replaceAll("\\s+", " ")
            .strip();
    return new InputError(
        where.toString(), lineNumber, message, "correct the module; TLA+'s parser stopped here");
  }

  /** The file at which SANY stopped, or null. */
  private static Path lastRead(String said) {
    Path last = null;
    for (Matcher m = READ.matcher(said); m.find(); ) {
      last = Path.of(m.group(1));
    }
    return last;
  }

  /** SANY itself fails, and says nothing of it, at a file where no module begins. */
  private static boolean beginsModule(Path file) {
    try {
      return BEGINNING.matcher(Files.readString(file, StandardCharsets.ISO_8859_1)).find();
    } catch (IOException e) {
      return true;
    }
  }

  /** The file of module {@code name} in {@code folder} or {@code library}, or null. */
  public static Path locate(String name, Path folder, List<Path> library) {
    List<Path> all = new ArrayList<>();
    all.add(folder);
    all.addAll(library);
    for (Path p : all) {
      Path f = p.resolve(name + ".tla");
      if (f.toFile().isFile()) {
        return f;
      }
    }
    return null;
  }
}
