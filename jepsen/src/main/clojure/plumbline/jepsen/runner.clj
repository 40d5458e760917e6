(ns plumbline.jepsen.runner
  "Drives clients and faults against a cluster, and writes the history. Phases: setup; clients and
  faults together; healing, until each client commits again; readings of every key."
  (:require [plumbline.jepsen.history :as history]
            [plumbline.jepsen.cluster :as cluster])
  (:import (dev.plumbline.cluster MachineLoad MachineLoad$Load)
           (java.util.concurrent ConcurrentLinkedQueue ExecutionException Executors Future TimeUnit)))

(def ^:private recovery-seconds
  "How long clients may take to commit again once all is healed, and how long a key may take to be
  read. As all limits here it is of patience, by the share of a processor that a thread gets." 30)
(def ^:private setup-seconds 120)
(def ^:private longest-seconds "After which patience ends whatever the share was." 300)
(def ^:private setup-clients "How many begin at once: nodes that have just started are slow." 5)
(def ^:private final-attempts 20)
(def ^:private settle-attempts 5)
(def ^:private most-open "Transactions that a client leaves open before it waits for one of them." 5)

(defn- ask
  "Asks once for the outcome of an operation that was left open; it still is if it has :settle."
  [op]
  (merge (dissoc op :settle :type) ((:settle op))))

(defn- worker
  "A client with its process number, which it gives up after an unknown outcome. One that can still
  be asked for is left in :open; with `most-open` of those a run asks for the oldest instead."
  [cluster fill n clients {:keys [record]}]
  (let [process (volatile! n)
        connection (cluster/client cluster n)
        failures (volatile! 0)
        commits (atom 0)
        open (atom [])
        invoke (fn [op]
                 (let [op (assoc (cluster/prepare! connection (fill op @process)) :process @process)]
                   (record (assoc (dissoc op :amount) :type :invoke))
                   (let [done (try (cluster/invoke! connection op)
                                   (catch Exception e
                                     (assoc op :type :info :error (str e))))
                         done (if (:settle done)
                                (do (swap! open conj done) done)
                                (record (dissoc done :amount)))]
                     (when (= :info (:type done))
                       (vswap! process + clients))
                     (if (= :ok (:type done))
                       (do (swap! commits inc) (vreset! failures 0))
                       (Thread/sleep (long (min 200 (* 5 (vswap! failures inc))))))
                     done)))
        ask-oldest (fn []
                     (let [oldest (first @open)
                           done (ask oldest)]
                       (swap! open #(vec (rest %)))
                       (if (:settle done)
                         (swap! open conj oldest)
                         (record (dissoc done :settle :amount)))
                       {:type :info}))]
    {:close #(cluster/close! connection)
     :open open
     :commits commits
     :run #(if (< (count @open) most-open) (invoke %) (ask-oldest))}))

(defn- on-all
  "Calls f with each worker, in threads of their own, and waits for all. Throws what one threw."
  [workers f]
  (let [pool (Executors/newFixedThreadPool (count workers))]
    (try
      (mapv #(.get ^Future %) (mapv (fn [w] (.submit pool ^Callable #(f w))) workers))
      (catch ExecutionException e
        (throw (.getCause e)))
      (finally
        (.shutdownNow pool)
        (.awaitTermination pool 10 TimeUnit/SECONDS)))))

(defn- until-ok
  "Runs an operation until it commits or time is up; whether it did."
  [{:keys [run]} next-op give-up?]
  (loop []
    (cond (= :ok (:type (run (next-op)))) true
          (give-up?) false
          :else (recur))))

(defn- limit
  "A function that says whether so much patience is over; it notes in `starved` if it was not, but
  the longest time was."
  [^MachineLoad load seconds longest starved]
  (let [begin (.patience load)
        start (System/nanoTime)]
    #(let [patient (< (- (.patience load) begin) seconds)
           late (> (/ (- (System/nanoTime) start) 1e9) longest)]
       (when (and patient late) (reset! starved true))
       (or (not patient) late))))

(defn- committed
  "How many operations each worker has committed, since the last time it was asked."
  [workers]
  (mapv #(first (reset-vals! (:commits %) 0)) workers))

(defn- load-of [^MachineLoad$Load load]
  {:seconds (.seconds load) :processors (.processors load) :runnable (.runnable load)
   :idle (.idle load) :starved (.starved load) :text (.text load)})

(defn- settle
  "Asks for the outcome of an operation that was left open, and records how it ended."
  [{:keys [record]} op]
  (record (dissoc (or (first (drop-while :settle (repeatedly settle-attempts #(ask op)))) op)
                  :settle :amount)))

(defn- settle-all
  "Asks for the outcomes of all operations that are open; how many there were."
  [workers recorder]
  (let [open (mapcat #(first (reset-vals! (:open %) [])) workers)
        todo (ConcurrentLinkedQueue. ^java.util.Collection (vec open))]
    (on-all workers (fn [_]
                      (loop []
                        (when-let [op (.poll todo)]
                          (settle recorder op)
                          (recur)))))
    (count open)))

(defn- inject
  "Runs one operation of the schedule and records it twice, as Jepsen does, the second time with
  what was seen. Returns whether the fault was seen to happen."
  [cluster {:keys [record]} {:keys [f id value]}]
  (let [op {:process :nemesis :type :info :f f :id id :value value}
        [_ what kind] (re-matches #"(start|stop)-(.*)" (name f))]
    (record op)
    (let [done (try
                 (let [act (if (= "start" what) cluster/start-fault! cluster/stop-fault!)]
                   (assoc op :value (act cluster (keyword kind) value)))
                 (catch Exception e
                   (assoc op :error (str (or (ex-message e) e)))))]
      (record done)
      (nil? (:error done)))))

(def ^:private quiet-seconds
  "Between faults that come late there is as much quiet as was planned, up to this: what is judged
  under one fault alone has to have gone on before it."
  1.0)

(defn- nemesis
  "Runs a schedule, and returns the operations that failed. What is due is late where an earlier
  operation took long; a fault lasts as long as it was to last all the same, from when it was there."
  [cluster {:keys [elapsed] :as recorder} schedule begin]
  (loop [[{:keys [at id] :as op} & more] schedule, running {}, [before planned] [begin 0], failed []]
    (if op
      (let [[since start] (running id)
            due (cond since (+ since (- at start))
                      (empty? running) (+ before (min quiet-seconds (- at planned)))
                      :else 0)]
        (Thread/sleep (long (max 0 (* 1000 (- (max due (+ begin at)) (elapsed))))))
        (let [seen (inject cluster recorder op)
              now [(elapsed) at]]
          (recur more (if since (dissoc running id) (assoc running id now)) now
                 (if seen failed (conj failed op)))))
      failed)))

(defn run-suite
  "Runs a workload for some seconds under a schedule of faults, longer where faults come late, and
  writes the history to a file. Returns {:history, :seconds, :unseen (faults that were not seen to happen), :stuck (clients that
  did not commit again after healing), :settled (transactions whose outcome was asked for once more
  after healing), :unread (final readings that failed), :starved (whether the machine gave so little
  processor time that stuck and unread say nothing), :commits (by phase: what committed in setup,
  while there were faults, in healing and in final readings), :by-client (what each client committed
  while there were faults), :load (of the machine, meanwhile)}."
  [{:keys [cluster workload clients seconds schedule file progress longest]
    :or {progress (fn [_]) longest longest-seconds}}]
  (let [{:keys [elapsed record] :as recorder} (history/recorder file)
        workers (mapv #(worker cluster (:fill workload) % clients recorder) (range clients))
        {:keys [setup setup-of-each next final]} workload
        starved (atom false)
        load (MachineLoad/sampled)
        give-up #(limit load % longest starved)]
    (try
      (progress "setting up")
      (doseq [some (partition-all setup-clients (if setup (take 1 workers) workers))]
        (on-all some
                (fn [worker]
                  (let [op #(or setup setup-of-each {:f :txn :value [[:r 0 nil]]})]
                    (when-not (until-ok worker op (give-up setup-seconds))
                      (throw (ex-info (str "not every client could commit within " setup-seconds
                                           " s of the start; the machine: "
                                           (.text (.soFar load))) {})))))))
      (let [begin (elapsed)
            end (+ begin seconds)
            in-setup (committed workers)
            _ (progress (str "running for " seconds " s"))
            meanwhile (MachineLoad/sampled)
            injector (future (nemesis cluster recorder schedule begin))
            _ (on-all workers (fn [{:keys [run]}]
                                (while (or (< (elapsed) end) (not (realized? injector)))
                                  (run (next)))))
            by-client (committed workers)
            machine (load-of (.soFar meanwhile))
            unseen @injector]
        (.close meanwhile)
        (progress "healing")
        (record {:process :nemesis :type :info :f :heal})
        (cluster/heal! cluster)
        (record {:process :nemesis :type :info :f :heal})
        (let [healed (elapsed)
              back (let [over? (give-up recovery-seconds)]
                     (on-all workers #(until-ok % next over?)))
              recovered (elapsed)
              in-healing (committed workers)
              _ (progress "asking for outcomes, reading every key")
              settled (settle-all workers recorder)
              _ (let [over? (give-up (:settle workload 0))]
                  (while (not (over?)) (Thread/sleep 50)))
              todo (ConcurrentLinkedQueue. ^java.util.Collection (final))
              unread (apply +
                            (on-all workers
                                    (fn [worker]
                                      (loop [unread 0]
                                        (if-let [op (.poll todo)]
                                          (let [tries (volatile! 0)
                                                over? (give-up recovery-seconds)]
                                            (recur
                                             (if (until-ok worker (constantly op)
                                                           #(and (> (vswap! tries inc)
                                                                    final-attempts)
                                                                 (over?)))
                                               unread
                                               (inc unread))))
                                          unread)))))]
          (settle-all workers recorder)
          {:history (str file)
           :seconds (elapsed)
           :unseen unseen
           :recovery (- recovered healed)
           :settled settled
           :stuck (count (remove true? back))
           :unread unread
           :starved @starved
           :commits {:setup (reduce + in-setup) :faults (reduce + by-client)
                     :healing (reduce + in-healing) :final (reduce + (committed workers))}
           :by-client by-client
           :load machine}))
      (finally
        (.close load)
        (doseq [{:keys [close]} workers] (close))
        ((:close recorder))))))
