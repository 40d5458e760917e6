package dev.plumbline.site;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Links of built pages that lead to no file, or to no place in it. */
public final class BrokenLinks {
  private static final Pattern SCRIPT = Pattern.compile("(?s)<script\\b.*?</script>|<!--.*?-->");
  private static final Pattern TARGET =
      Pattern.compile("<[a-z]+\\b[^>]*?\\s(?:href|src)=\"([^\"]*)\"");
  private static final Pattern NAME = Pattern.compile("<[^>]*?\\s(?:id|name)=\"([^\"]+)\"");

  private final Path folder;
  private final Map<Path, Set<String>> names = new HashMap<>();

  private BrokenLinks(Path folder) {
    this.folder = folder;
  }

  /**
   * All that are broken, with the pages that have them.
   *
   * @param folder of HTML pages; links out of it, to other hosts, are not followed
   * @param skipped a folder in it whose pages are only led to
   */
  public static List<String> of(Path folder, String skipped) throws IOException {
    BrokenLinks links = new BrokenLinks(folder.toRealPath());
    Set<String> broken = new TreeSet<>();
    try (Stream<Path> files = Files.walk(links.folder)) {
      for (Path page : files.filter(p -> p.toString().endsWith(".html")).toList()) {
        if (!page.startsWith(links.folder.resolve(skipped))) {
          broken.addAll(links.in(page));
        }
      }
    }
    return List.copyOf(broken);
  }

  private List<String> in(Path page) throws IOException {
    List<String> broken = new ArrayList<>();
    Matcher m = TARGET.matcher(text(page));
    while (m.find()) {
      String link = m.group(1).replace("&amp;", "&");
      if (!leads(page, link)) {
        broken.add(folder.relativize(page) + ": " + link);
      }
    }
    return broken;
  }

  private boolean leads(Path page, String link) throws IOException {
    if (link.matches("[a-z]+:.*") || link.startsWith("//") || link.equals("#")) {
      return true;
    }
    int at = link.indexOf('#');
    String path = (at < 0 ? link : link.substring(0, at)).replaceFirst("\\?.*", "");
    Path target = page;
    if (!path.isEmpty()) {
      target = page.resolveSibling(decoded(path)).normalize();
      if (Files.isDirectory(target)) {
        target = target.resolve("index.html");
      }
    }
    if (!target.startsWith(folder) || !Files.isRegularFile(target)) {
      return false;
    }
    String place = at < 0 ? "" : decoded(link.substring(at + 1));
    return place.isEmpty()
        || !target.toString().endsWith(".html")
        || place.startsWith("step=")
        || names(target).contains(place);
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private Set<String> names(Path page) throws IOException {
    if (!names.containsKey(page)) {
      Set<String> found = new HashSet<>();
      Matcher m = NAME.matcher(text(page));
      while (m.find()) {
        found.add(m.group(1).replace("&amp;", "&"));
      }
      names.put(page, found);
    }
    return names.get(page);
  }

  private static String text(Path page) throws IOException {
    String whole = Files.readString(page, StandardCharsets.UTF_8);
    return SCRIPT.matcher(whole).replaceAll("");
  }
}
