(ns plumbline.suites.workloads
  "The local runner's workloads as Jepsen generators. Snapshot reads are left to the local runner:
  the timestamp that one asks for is known only once its client begins it, too late for Jepsen's
  invocation."
  (:require [jepsen.generator :as gen]
            [plumbline.jepsen.workload :as workload]))

(defn workload
  "{:generator, :setup, :final (see plumbline.jepsen.workload), :model} for a name and a seed."
  [name seed]
  (let [{:keys [next final setup model]} (workload/workload name seed)
        next #(let [op (next)] (if (= :snapshot (:read op)) (dissoc op :read :staleness) op))]
    {:generator next
     :setup (when setup (gen/once setup))
     :final final
     :model model}))
