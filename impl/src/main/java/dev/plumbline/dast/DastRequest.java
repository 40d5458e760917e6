package dev.plumbline.dast;

/** What a client asks its node for: run a transaction. */
public record DastRequest(Txn txn) {}
