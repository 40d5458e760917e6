/**
 * ENGAGE's clients: {@link dev.plumbline.engage.client.EngageStore} makes {@link
 * dev.plumbline.engage.client.MobileClient}s, which read and write objects, choose session
 * guarantees for each operation, and move between cloudlets.
 */
package dev.plumbline.engage.client;
