/**
 * The JDBC driver of applications. {@link dev.plumbline.metric.sql.driver.MetricDriver} puts what
 * Avatica's client leaves out around it: sites to choose from, savepoints, generated keys, and
 * errors that are SQL errors.
 */
package dev.plumbline.metric.sql.driver;
