(ns plumbline.jepsen.cluster
  "What the local runner needs of a system under test.")

(defprotocol Client
  "One client, used by one thread."
  (prepare! [client op]
    "The operation as it will be invoked: a snapshot read gets :at, the timestamp that it asks for.
    The next operation invoked is this one.")
  (invoke! [client op]
    "Runs an operation. Returns it with :type :ok (reads answered, :ts its place in the serial
    order), :fail (it certainly had no effect) or :info (nobody knows), the last two with :error.
    An :info may have :settle, a function that asks for the outcome once more and returns likewise;
    it may be called from another thread, once this operation is over.")
  (close! [client]))

(defprotocol Cluster
  (describe [cluster]
    "What plumbline.jepsen.fault/schedule needs to know of it.")
  (client [cluster n] "Client number n.")
  (start-fault! [cluster kind value]
    "Brings a fault about. Returns value with what shows that it happened; throws if it did not.")
  (stop-fault! [cluster kind value] "Ends that fault; returns and throws likewise.")
  (heal! [cluster] "Ends whatever still goes on."))
