package dev.plumbline.node;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;

/** Logs as JSON lines on standard error: the project's from INFO, all else from WARN. */
public final class JsonLog extends ContextAwareBase implements Configurator {
  private static final String CASSANDRA_PLACES =
      "com.datastax.oss.driver.internal.core.loadbalancing.helper";

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    JsonEncoder encoder = new JsonEncoder();
    encoder.setContext(context);
    encoder.setWithContext(false);
    encoder.setWithSequenceNumber(false);
    encoder.setWithNanoseconds(false);
    encoder.start();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    context.getLogger("ROOT").addAppender(appender);
    context.getLogger("ROOT").setLevel(Level.WARN);
    context.getLogger("dev.plumbline").setLevel(Level.INFO);
    // It warns of contact points in other data centres, which a ring of several has.
    context.getLogger(CASSANDRA_PLACES).setLevel(Level.ERROR);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }
}
