(ns plumbline.suites.workloads
  "The local runner's workloads as Jepsen generators. Snapshot reads are left to the local runner:
  the timestamp that one asks for is known only once its client begins it, too late for Jepsen's
  invocation. So are counters, whose keys depend on the process that runs the operation: Jepsen names
  it later."
  (:require [jepsen.generator :as gen]
            [plumbline.jepsen.workload :as workload]))

(defn- until-ok [op] (gen/until-ok (gen/repeat op)))

(defn- readings
  "Each operation until it commits, shared out among client threads."
  [ops threads]
  (apply gen/any
         (map-indexed (fn [i share] (gen/on-threads #{i} (mapv until-ok (map second share))))
                      (vals (group-by #(mod (first %) threads)
                                      (map-indexed #(vector %1 (assoc %2 :final true)) ops))))))

(def names "Workloads for the suites." (disj (set (keys workload/workloads)) "counters"))

(defn workload
  "For a name, a seed, a number of client threads and what the workload has to know of the protocol
  {:model, :opening (a bank's balances), :setup (the
  opening, or a reading by each client: until it commits), :clients (without end), :recovery (each
  client until it commits again), :settle (seconds of quiet), :final (every key until it was read, by
  operations with :final)}."
  [name seed threads needs]
  (let [{:keys [next final setup setup-of-each settle model]} (workload/workload name seed needs)
        next #(let [op (next)] (if (= :snapshot (:read op)) (dissoc op :read :staleness) op))]
    {:model model
     :opening (into {} (map (fn [[_ k v]] [k v])) (:value setup))
     :setup (gen/clients (if setup
                           (gen/on-threads #{0} (until-ok setup))
                           (gen/each-thread (until-ok setup-of-each))))
     :clients (gen/clients next)
     :recovery (gen/clients (gen/each-thread (gen/until-ok next)))
     :settle (gen/nemesis (gen/sleep settle))
     :final (gen/clients (delay (readings (final) threads)))}))
