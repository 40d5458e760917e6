package dev.plumbline.machine;

/** A timer's identity. Implementations are records; setting an equal timer again replaces it. */
public interface Timer {}
