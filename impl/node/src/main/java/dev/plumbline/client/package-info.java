/**
 * The client library: {@link dev.plumbline.client.PlumbClient} makes {@link
 * dev.plumbline.client.Session}s, which run transactions and say how each ended.
 */
package dev.plumbline.client;
