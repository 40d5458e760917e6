package dev.plumbline.validate;

import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.trace.TraceReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The logs of several nodes as one sequence that respects causality: each node's own order, and a
 * send before every receive of the same message. Events that causality leaves unordered stand in
 * the order of the reference clock.
 */
public final class MergedLog {
  /** A log's file; those after the first of a node carry a number. */
  private static final Pattern FILE = Pattern.compile("(.*?)(?:\\.(\\d{1,9}))?\\.ndjson");

  private final List<Entry> entries;
  private final long left;

  /** Files without events. */
  private final List<String> empty;

  private MergedLog(List<Entry> entries, long left, List<String> empty) {
    this.entries = entries;
    this.left = left;
    this.empty = empty;
  }

  /** An event and where it was logged; {@code line} counts from 1. */
  public record Entry(TraceEvent event, String file, int line) {}

  public List<Entry> entries() {
    return entries;
  }

  /** How many later events of the files were left unread. */
  public long left() {
    return left;
  }

  /** The first {@code count} events. */
  public MergedLog prefix(int count) {
    int kept = Math.min(count, entries.size());
    return new MergedLog(entries.subList(0, kept), left + entries.size() - kept, empty);
  }

  /** As {@link #read(List, long)}, all events. */
  public static MergedLog read(List<Path> paths) {
    return read(paths, Long.MAX_VALUE);
  }

  /**
   * Reads log files, and all {@code *.ndjson} files of folders. {@code NODE.2.ndjson} goes on where
   * {@code NODE.ndjson} ends, and so on. Of more than {@code most} events only those are read that
   * happened before some time of the reference clock: whatever they receive was sent by them.
   *
   * @throws InputError when a file is missing, malformed or empty, when a node's log is missing, or
   *     when the logs contradict causality
   */
  public static MergedLog read(List<Path> paths, long most) {
    List<Path> files = new ArrayList<>();
    for (Path path : paths) {
      if (Files.isDirectory(path)) {
        try (Stream<Path> inside = Files.list(path)) {
          List<Path> found = inside.filter(p -> p.toString().endsWith(".ndjson")).sorted().toList();
          if (found.isEmpty()) {
            throw new InputError(
                path.toString(), 0, "no *.ndjson file in this folder", "name a folder of logs");
          }
          found.forEach(MergedLog::demandFile);
          files.addAll(found);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      } else {
        demandFile(path);
        files.add(path);
      }
    }
    Map<String, TreeMap<Integer, Path>> parts = new TreeMap<>();
    for (Path file : files) {
      Matcher name = FILE.matcher(file.toString());
      boolean part = name.matches() && name.group(2) != null;
      int number = part ? Integer.parseInt(name.group(2)) : 1;
      Path other =
          parts
              .computeIfAbsent(
                  name.matches() ? name.group(1) : file.toString(), k -> new TreeMap<>())
              .put(number, file);
      if (other != null && !other.equals(file)) {
        throw new InputError(
            other.toString(),
            0,
            "is part " + number + " of a node's log, and so is " + file,
            "leave one of them out, or number it as docs/trace-log.md has it");
      }
    }
    long[] times = most == Long.MAX_VALUE ? new long[0] : times(files);
    long until = times.length <= most ? Long.MAX_VALUE : times[(int) most] - 1;
    List<Log> logs = new ArrayList<>();
    for (TreeMap<Integer, Path> part : parts.values()) {
      logs.add(log(List.copyOf(part.values()), until));
    }
    return merged(logs, LongStream.of(times).filter(at -> at > until).count());
  }

  /** A log is read more than once, and a pipe waits for good where nobody writes. */
  private static void demandFile(Path path) {
    if (!Files.exists(path)) {
      throw new InputError(path.toString(), 0, "no such log", "name a log or a folder of logs");
    }
    if (!Files.isRegularFile(path)) {
      String what = Files.isDirectory(path) ? "is a folder" : "is a pipe or a device";
      throw new InputError(
          path.toString(), 0, what + ", where a log is needed", "name files, or move it away");
    }
  }

  /** When the events of all files happened, in that order. */
  private static long[] times(List<Path> files) {
    LongStream all = LongStream.empty();
    for (Path file : files) {
      try {
        all = LongStream.concat(all, TraceReader.times(file));
      } catch (IOException e) {
        throw unreadable(file, e);
      }
    }
    return all.sorted().toArray();
  }

  private static InputError unreadable(Path file, IOException e) {
    return new InputError(file.toString(), 0, e.toString(), "make the log readable");
  }

  private static Log log(List<Path> files, long until) {
    List<TraceEvent> events = new ArrayList<>();
    List<Part> parts = new ArrayList<>();
    for (Path file : files) {
      try {
        parts.add(new Part(file.toString(), events.size()));
        events.addAll(TraceReader.read(file, events.size() + 1L, until));
      } catch (TraceReader.MalformedTrace e) {
        throw new InputError("", 0, e.getMessage(), "write logs as docs/trace-log.md has them");
      } catch (IOException e) {
        throw unreadable(file, e);
      }
    }
    return new Log(parts, events);
  }

  /** One node's events, and the files that they come from, in order. */
  private record Log(List<Part> parts, List<TraceEvent> events) {}

  /** A file and the number of the node's events before it. */
  private record Part(String file, int before) {}

  /** Merges logs that were read; keys are file names. */
  public static MergedLog of(Map<String, List<TraceEvent>> logs) {
    return merged(
        logs.entrySet().stream()
            .map(log -> new Log(List.of(new Part(log.getKey(), 0)), log.getValue()))
            .toList(),
        0);
  }

  private static MergedLog merged(List<Log> logs, long left) {
    if (logs.stream().allMatch(log -> log.events.isEmpty())) {
      throw new InputError("", 0, "the logs are empty", "log the run with tracing on");
    }
    List<Node> nodes = new ArrayList<>();
    Set<String> unsent = new HashSet<>();
    for (Log log : logs) {
      Node node = new Node(nodes.size(), log);
      nodes.add(node);
      for (TraceEvent e : log.events) {
        unsent.addAll(e.sent());
      }
    }
    List<String> empty =
        logs.stream()
            .filter(log -> log.events.isEmpty())
            .flatMap(log -> log.parts.stream().map(Part::file))
            .toList();
    return new MergedLog(merge(nodes, unsent), left, empty);
  }

  /** One node's log and how much of it has been merged. */
  private static final class Node {
    final int index;
    final List<Part> parts;
    final List<TraceEvent> events;
    int next;

    Node(int index, Log log) {
      this.index = index;
      parts = log.parts;
      events = log.events;
    }

    /** The file and line of the next event. */
    Entry entry() {
      int p = parts.size() - 1;
      while (parts.get(p).before > next) {
        p--;
      }
      Part part = parts.get(p);
      return new Entry(head(), part.file, next - part.before + 1);
    }

    TraceEvent head() {
      return events.get(next);
    }
  }

  private static List<Entry> merge(List<Node> nodes, Set<String> unsent) {
    List<Entry> merged = new ArrayList<>();
    PriorityQueue<Node> ready =
        new PriorityQueue<>(
            Comparator.<Node>comparingLong(n -> n.head().at()).thenComparingInt(n -> n.index));
    Map<String, List<Node>> blocked = new HashMap<>();
    for (Node node : nodes) {
      place(node, unsent, ready, blocked);
    }
    while (!ready.isEmpty()) {
      Node node = ready.poll();
      TraceEvent e = node.head();
      merged.add(node.entry());
      node.next++;
      for (String id : e.sent()) {
        unsent.remove(id);
        List<Node> waiting = blocked.remove(id);
        if (waiting != null) {
          ready.addAll(waiting);
        }
      }
      place(node, unsent, ready, blocked);
    }
    for (Node node : nodes) {
      if (node.next < node.events.size()) {
        throw new InputError(
            node.entry().file(),
            node.entry().line(),
            "message " + node.head().recv().orElse("?") + " is received before it is sent",
            "the logs contradict causality: use the logs of one run, unaltered");
      }
    }
    return merged;
  }

  /** A node's next event is ready unless it receives what is sent later. */
  private static void place(
      Node node, Set<String> unsent, PriorityQueue<Node> ready, Map<String, List<Node>> blocked) {
    if (node.next == node.events.size()) {
      return;
    }
    String recv = node.head().recv().orElse(null);
    if (recv != null && unsent.contains(recv)) {
      blocked.computeIfAbsent(recv, k -> new ArrayList<>()).add(node);
    } else {
      ready.add(node);
    }
  }

  /**
   * Fails when a message was received whose sender has no log here.
   *
   * @throws InputError naming the first such receive and the missing node
   */
  public void demandSenders() {
    Set<String> nodes = new HashSet<>();
    for (Entry e : entries) {
      nodes.add(e.event().node());
      nodes.add(e.event().role());
    }
    for (Entry e : entries) {
      String recv = e.event().recv().orElse(null);
      if (recv != null && recv.contains(":")) {
        String sender = recv.substring(0, recv.lastIndexOf(':'));
        String own = sender + ".ndjson";
        for (String file : empty) {
          if (!nodes.contains(sender) && Path.of(file).getFileName().toString().equals(own)) {
            throw new InputError(
                file,
                0,
                "the log is empty, but " + e.event().node() + " handles message " + recv + " of it",
                "copy the whole log of " + sender);
          }
        }
        if (!nodes.contains(sender)) {
          throw new InputError(
              e.file(),
              e.line(),
              "message " + recv + " comes from " + sender + ", whose log is missing",
              "add " + sender + ".ndjson");
        }
      }
    }
  }

  /**
   * Fails when an event breaks a rule that the logs of every run keep, whatever the protocol.
   *
   * @throws InputError naming the first such event
   */
  public void demandRules() {
    LogRules.broken(this)
        .ifPresent(
            b -> {
              throw new InputError(
                  b.entry().file(),
                  b.entry().line(),
                  b.what(),
                  "such logs come from no run: look for what changed or lost them");
            });
  }
}
