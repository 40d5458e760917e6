/**
 * A site: sessions of JDBC applications between the local database and the Metric process, and the
 * server by which they come in.
 */
package dev.plumbline.metric.sql.site;
