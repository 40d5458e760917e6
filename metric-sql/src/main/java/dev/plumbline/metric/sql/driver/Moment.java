package dev.plumbline.metric.sql.driver;

import java.sql.Date;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.SimpleTimeZone;
import java.util.TimeZone;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A date, a time or both, as a database writes them. */
final class Moment {
  /** What PostgreSQL's driver makes of the dates that come after and before all others. */
  private static final long LAST = 9223372036825200000L;

  private static final long FIRST = -9223372036832400000L;

  private static final Pattern FORM =
      Pattern.compile(
          "(?:(\\d{4,9})-(\\d\\d)-(\\d\\d))?[ T]?(?:(\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d{1,9}))?)?"
              + "([+-]\\d\\d(?::\\d\\d){0,2})?( BC)?");

  /** What MariaDB's times may be, too: below zero, or more than a day. */
  private static final Pattern SPAN =
      Pattern.compile("(-?)(\\d{2,3}):(\\d\\d):(\\d\\d)(?:\\.(\\d{1,6}))?");

  private static final int DAY = 24 * 60 * 60;

  private final long infinite;
  private final LocalDate date;
  private final int seconds;
  private final int nanos;
  private final ZoneOffset offset;

  /** Reads it; {@code null} is MariaDB's date of zeros. */
  static Moment of(String text) throws SQLException {
    try {
      return text.startsWith("0000-00-00") ? null : new Moment(text.strip());
    } catch (DateTimeException e) {
      throw new SQLDataException("'" + text + "' is no date or time", "22007");
    }
  }

  /** Whether a text is a time that no clock shows. */
  static boolean spans(String text) {
    Matcher m = SPAN.matcher(text);
    return m.matches() && (!m.group(1).isEmpty() || Integer.parseInt(m.group(2)) > 24);
  }

  /** Such a time, from the midnight with which the first day begins. */
  static Time span(String text, TimeZone zone) {
    Matcher m = SPAN.matcher(text);
    m.matches();
    Calendar c = calendar(zone);
    int sign = m.group(1).isEmpty() ? 1 : -1;
    c.set(1970, Calendar.JANUARY, 1);
    c.add(Calendar.HOUR_OF_DAY, sign * Integer.parseInt(m.group(2)));
    c.add(Calendar.MINUTE, sign * Integer.parseInt(m.group(3)));
    c.add(Calendar.SECOND, sign * Integer.parseInt(m.group(4)));
    String part = m.group(5) == null ? "" : m.group(5);
    c.add(Calendar.MILLISECOND, sign * Integer.parseInt((part + "000").substring(0, 3)));
    return new Time(c.getTimeInMillis());
  }

  private Moment(String text) {
    infinite = text.equals("infinity") ? LAST : text.equals("-infinity") ? FIRST : 0;
    Matcher m = FORM.matcher(text);
    boolean found = infinite == 0 && m.matches() && (m.group(1) != null || m.group(4) != null);
    if (!found && infinite == 0) {
      throw new DateTimeException("no date or time");
    }
    if (found && m.group(1) != null) {
      int year = Integer.parseInt(m.group(1));
      date =
          LocalDate.of(
              m.group(9) == null ? year : 1 - year,
              Integer.parseInt(m.group(2)),
              Integer.parseInt(m.group(3)));
    } else {
      date = null;
    }
    seconds =
        found && m.group(4) != null
            ? (Integer.parseInt(m.group(4)) * 60 + Integer.parseInt(m.group(5))) * 60
                + Integer.parseInt(m.group(6))
            : 0;
    nanos =
        found && m.group(7) != null
            ? Integer.parseInt(m.group(7) + "0".repeat(9 - m.group(7).length()))
            : 0;
    offset = found && m.group(8) != null ? ZoneOffset.of(m.group(8)) : null;
    if (seconds > DAY) {
      throw new DateTimeException("a day has 24 hours");
    }
  }

  private static Calendar calendar(TimeZone zone) {
    Calendar c = new GregorianCalendar(zone, Locale.ROOT);
    c.clear();
    return c;
  }

  private long millis(TimeZone zone) {
    Calendar c =
        calendar(
            offset == null ? zone : new SimpleTimeZone(offset.getTotalSeconds() * 1000, "its own"));
    LocalDate day = date == null ? LocalDate.EPOCH : date;
    c.set(Calendar.ERA, day.getYear() > 0 ? GregorianCalendar.AD : GregorianCalendar.BC);
    c.set(Calendar.YEAR, day.getYear() > 0 ? day.getYear() : 1 - day.getYear());
    c.set(Calendar.MONTH, day.getMonthValue() - 1);
    c.set(Calendar.DAY_OF_MONTH, day.getDayOfMonth());
    c.set(Calendar.HOUR_OF_DAY, seconds / 3600);
    c.set(Calendar.MINUTE, seconds / 60 % 60);
    c.set(Calendar.SECOND, seconds % 60);
    return c.getTimeInMillis();
  }

  Timestamp timestamp(TimeZone zone) {
    if (infinite != 0) {
      return new Timestamp(infinite);
    }
    Timestamp timestamp = new Timestamp(millis(zone));
    timestamp.setNanos(nanos);
    return timestamp;
  }

  /** Its day, at midnight. */
  Date date(TimeZone zone) {
    if (infinite != 0) {
      return new Date(infinite);
    }
    Calendar c = calendar(zone);
    c.setTimeInMillis(millis(zone));
    for (int field : new int[] {Calendar.HOUR_OF_DAY, Calendar.MINUTE, Calendar.SECOND}) {
      c.set(field, 0);
    }
    return new Date(c.getTimeInMillis());
  }

  /** Its time, on the first day that there is. */
  Time time(TimeZone zone) throws SQLException {
    demandFinite();
    Calendar c = calendar(zone);
    c.setTimeInMillis(millis(zone));
    if (date != null) {
      c.set(Calendar.ERA, GregorianCalendar.AD);
      c.set(1970, Calendar.JANUARY, 1);
    }
    return new Time(c.getTimeInMillis() + nanos / 1_000_000);
  }

  private void demandFinite() throws SQLException {
    if (infinite != 0) {
      throw new SQLDataException("an infinite date has no time", "22007");
    }
  }

  LocalDate localDate() throws SQLException {
    demandLocal();
    return day();
  }

  LocalTime localTime() throws SQLException {
    demandLocal();
    return clock();
  }

  LocalDateTime localDateTime() throws SQLException {
    demandLocal();
    return both();
  }

  OffsetTime offsetTime() throws SQLException {
    return clock().atOffset(zone());
  }

  OffsetDateTime offsetDateTime() throws SQLException {
    return infinite == LAST
        ? OffsetDateTime.MAX
        : infinite == FIRST
            ? OffsetDateTime.MIN
            : both().atOffset(zone()).withOffsetSameInstant(ZoneOffset.UTC);
  }

  private LocalDate day() throws SQLException {
    if (date == null && infinite == 0) {
      throw new SQLDataException("a time has no date", "22007");
    }
    return infinite == LAST ? LocalDate.MAX : infinite == FIRST ? LocalDate.MIN : date;
  }

  private LocalTime clock() throws SQLException {
    demandFinite();
    return seconds == DAY ? LocalTime.MAX : LocalTime.ofSecondOfDay(seconds).withNano(nanos);
  }

  private LocalDateTime both() throws SQLException {
    return infinite == LAST
        ? LocalDateTime.MAX
        : infinite == FIRST ? LocalDateTime.MIN : day().atTime(clock());
  }

  private void demandLocal() throws SQLException {
    if (offset != null) {
      throw new SQLDataException("it has a time zone; read an OffsetDateTime", "22007");
    }
  }

  private ZoneOffset zone() throws SQLException {
    if (offset == null) {
      throw new SQLDataException("there is no time zone in it; read a LocalDateTime", "22007");
    }
    return offset;
  }

  /** The text of one of JDBC's own dates and times in a time zone, and that zone. */
  static String[] text(java.util.Date moment, TimeZone zone) {
    if (moment.getTime() >= LAST || moment.getTime() <= FIRST) {
      return new String[] {moment.getTime() > 0 ? "infinity" : "-infinity", ""};
    }
    Calendar c = calendar(zone);
    c.setTimeInMillis(moment.getTime());
    int nanos =
        moment instanceof Timestamp t ? t.getNanos() : c.get(Calendar.MILLISECOND) * 1_000_000;
    String date =
        "%04d-%02d-%02d"
            .formatted(
                c.get(Calendar.YEAR), c.get(Calendar.MONTH) + 1, c.get(Calendar.DAY_OF_MONTH));
    // As short as the databases' drivers write it: a column of texts keeps it so.
    String time =
        "%02d:%02d:%02d"
                .formatted(
                    c.get(Calendar.HOUR_OF_DAY), c.get(Calendar.MINUTE), c.get(Calendar.SECOND))
            + (nanos == 0 ? "" : ".%09d".formatted(nanos).replaceFirst("0+$", ""));
    int away = (c.get(Calendar.ZONE_OFFSET) + c.get(Calendar.DST_OFFSET)) / 1000;
    return new String[] {
      moment instanceof Date ? date : moment instanceof Time ? time : date + " " + time,
      (moment instanceof Date ? " " : "")
          + "%s%02d:%02d:%02d"
              .formatted(
                  away < 0 ? "-" : "+",
                  Math.abs(away) / 3600,
                  Math.abs(away) / 60 % 60,
                  Math.abs(away) % 60)
              .replaceFirst("(:00){1,2}$", "")
          + (c.get(Calendar.ERA) == GregorianCalendar.BC ? " BC" : "")
    };
  }
}
