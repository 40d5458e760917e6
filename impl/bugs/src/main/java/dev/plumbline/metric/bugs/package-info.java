/** Seeded bugs of Metric: one for each repair, and for what the store's guarantees rest on. */
package dev.plumbline.metric.bugs;
