/**
 * ENGAGE's clients: {@link dev.plumbline.client.engage.EngageStore} makes {@link
 * dev.plumbline.client.engage.MobileClient}s, which read and write objects, choose session
 * guarantees for each operation, and move between cloudlets.
 */
package dev.plumbline.client.engage;
