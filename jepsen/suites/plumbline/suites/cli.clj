(ns plumbline.suites.cli
  "The suites under Jepsen: lein run test --nodes A,B,C,D,E --workload list-append."
  (:require [jepsen.cli :as cli]
            [jepsen.generator :as gen]
            [jepsen.os :as os]
            [jepsen.tests :as tests]
            [plumbline.jepsen.fault :as fault]
            [plumbline.jepsen.workload :as workload]
            [plumbline.suites.checkers :as checkers]
            [plumbline.suites.client :as client]
            [plumbline.suites.db :as db]
            [plumbline.suites.nemesis :as nemesis]
            [plumbline.suites.workloads :as workloads]))

(def ^:private options
  [[nil "--workload NAME" "What clients do"
    :default "list-append"
    :validate [workload/workloads (str "one of " (sort (keys workload/workloads)))]]
   [nil "--faults LIST" "partition, kill, pause; none"
    :default [:partition :kill :pause] :parse-fn fault/parse-kinds]
   [nil "--interval SECONDS" "Between two operations of the nemesis"
    :default 5 :parse-fn parse-long]
   [nil "--rtt PERCENT" "Link delays, of the paper's table of round trips"
    :default 10 :parse-fn parse-long]
   [nil "--seed N" "Of the operations" :default 1 :parse-fn parse-long]
   [nil "--bug NAME" "Switch on a seeded bug, found in /opt/plumbline/bugs of each node"]])

(defn plumbline-test
  "A Jepsen test from the command line's options."
  [{:keys [workload faults interval seed time-limit] :as opts}]
  (let [{:keys [generator setup final model]} (workloads/workload workload seed)
        opts (assoc opts :protocol "k2"
                    :parameters {"ttlMicros" 10000 "patienceMicros" 600000})
        db (db/db)
        package (nemesis/package db faults interval)]
    (merge tests/noop-test
           opts
           {:name (str "plumbline-k2-" workload)
            :tls (db/certificates opts)
            :origin (System/nanoTime)
            :os os/noop
            :db db
            :client (client/client)
            :nemesis (:nemesis package)
            :checker (checkers/checker workload model)
            :generator (gen/phases
                        (gen/clients setup)
                        (gen/time-limit time-limit (gen/nemesis (:generator package)
                                                                (gen/clients generator)))
                        (gen/nemesis (:final-generator package))
                        (gen/sleep 5)
                        (gen/clients (delay (final))))})))

(defn -main [& args]
  (cli/run! (cli/single-test-cmd {:test-fn plumbline-test :opt-spec options}) args))
