(ns plumbline.suites.workloads
  "The local runner's workloads as Jepsen generators. Snapshot reads are left to the local runner:
  the timestamp that one asks for is known only once its client begins it, too late for Jepsen's
  invocation."
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

(defn workload
  "For a name, a seed and a number of client threads {:model, :opening (a bank's balances), :setup (the
  opening, or a reading by each client: until it commits), :clients (without end), :recovery (each
  client until it commits again), :final (every key until it was read, by operations with :final)}."
  [name seed threads]
  (let [{:keys [next final setup model]} (workload/workload name seed)
        next #(let [op (next)] (if (= :snapshot (:read op)) (dissoc op :read :staleness) op))]
    {:model model
     :opening (into {} (map (fn [[_ k v]] [k v])) (:value setup))
     :setup (gen/clients (if setup
                           (gen/on-threads #{0} (until-ok setup))
                           (gen/each-thread (until-ok {:f :txn :value [[:r 0 nil]]}))))
     :clients (gen/clients next)
     :recovery (gen/clients (gen/each-thread (gen/until-ok next)))
     :final (gen/clients (delay (readings (final) threads)))}))
