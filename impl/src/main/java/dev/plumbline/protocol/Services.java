package dev.plumbline.protocol;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.StreamSupport;

/** What the files in {@code META-INF/services} list. */
public final class Services {
  private static final String FOLDER = "META-INF/services/";

  private Services() {}

  /** A line of such a file is wrong; the message says which and what to do. */
  public static final class Wrong extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    Wrong(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** One instance of each class that the service's files list. */
  public static <T> List<T> all(Class<T> service) {
    return all(service, Thread.currentThread().getContextClassLoader());
  }

  /**
   * The same, of what {@code loader} sees.
   *
   * @throws Wrong if a class is not there, or is none of the service
   */
  public static <T> List<T> all(Class<T> service, ClassLoader loader) {
    try {
      return StreamSupport.stream(ServiceLoader.load(service, loader).spliterator(), false)
          .toList();
    } catch (ServiceConfigurationError e) {
      throw wrong(service.getName(), loader, e);
    }
  }

  /** The file that lists a service's classes. */
  public static String file(Class<?> service) {
    return FOLDER + service.getName();
  }

  private static Wrong wrong(String service, ClassLoader loader, ServiceConfigurationError e) {
    String said = e.getMessage().replaceFirst("^" + service + ": ", "");
    String file = FOLDER + service;
    String why = said;
    try {
      for (URL url : Collections.list(loader.getResources(file))) {
        List<String> lines = lines(url);
        for (int i = 0; i < lines.size(); i++) {
          String name = lines.get(i).replaceFirst("#.*", "").strip();
          if (said.startsWith("Provider " + name + " ")) {
            file += ":" + (i + 1);
            why = said.endsWith(" not found") ? "there is no class " + name : said;
          }
        }
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return new Wrong(
        file
            + ": "
            + why
            + (e.getCause() == null ? "" : " (" + e.getCause() + ")")
            + "\n  remedy: correct the class's name there (the file is in the resources), or remove"
            + " its line",
        e);
  }

  private static List<String> lines(URL url) throws IOException {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(url.openStream(), StandardCharsets.UTF_8))) {
      return in.lines().toList();
    }
  }
}
