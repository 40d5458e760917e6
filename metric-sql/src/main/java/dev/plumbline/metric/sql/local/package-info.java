/**
 * A site's local database, unchanged but for triggers. A {@link
 * dev.plumbline.metric.sql.local.Dialect} says how one kind of database is captured from and
 * applied to; {@link dev.plumbline.metric.sql.local.LocalDatabase} keeps the local tx-queue, the
 * pointers into the redo log, and what is left after a crash.
 */
package dev.plumbline.metric.sql.local;
