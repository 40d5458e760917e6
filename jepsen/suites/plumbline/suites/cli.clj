(ns plumbline.suites.cli
  "The suites under Jepsen: lein run test --protocol NAME --nodes A,B,C --workload list-append."
  (:require [clojure.string :as str]
            [jepsen.cli :as cli]
            [jepsen.generator :as gen]
            [jepsen.os :as os]
            [jepsen.tests :as tests]
            [plumbline.jepsen.fault :as fault]
            [plumbline.jepsen.rig :as rig]
            [plumbline.suites.checkers :as checkers]
            [plumbline.suites.client :as client]
            [plumbline.suites.db :as db]
            [plumbline.suites.layout :as layout]
            [plumbline.suites.nemesis :as nemesis]
            [plumbline.suites.workloads :as workloads]))

(def ^:private setup-seconds 60)
(def ^:private recovery-seconds 30)
(def ^:private final-seconds 60)

(def ^:private options
  [[nil "--protocol NAME" (str "Needed: one of " (str/join ", " (layout/protocols)))
    :validate [#(some #{%} (layout/protocols)) "a protocol that has machines"]]
   [nil "--workload NAME" "What clients do"
    :default-desc "the protocol's usual one"
    :validate [workloads/names (str "one of " (str/join ", " (sort workloads/names)))]]
   [nil "--faults LIST" "partition, clock, kill, pause; none"
    :default-desc "those that the protocol tolerates of a whole region"
    :parse-fn fault/parse-kinds
    :validate [#(every? nemesis/kinds %) "some of partition, clock, kill, pause"]]
   [nil "--interval SECONDS" "How long a fault lasts, and the quiet after it"
    :default 3 :parse-fn parse-long]
   [nil "--rtt PERCENT" "Link delays, of the paper's table of round trips"
    :default 10 :parse-fn parse-long]
   [nil "--rate HZ" "Transactions a second, at most"
    :default 100 :parse-fn parse-long :validate [pos? "a number above 0"]]
   [nil "--seed N" "Of the operations and the clocks' faults" :default 1 :parse-fn parse-long]
   [nil "--bug NAME" "Switch on a seeded bug, found in /opt/plumbline/bugs of each node"]])

(defn plumbline-test
  "A Jepsen test from the command line's options."
  [{workload-name :workload :keys [protocol seed time-limit concurrency rate] :as opts}]
  (when-not protocol
    (throw (IllegalArgumentException. "name the protocol: --protocol NAME")))
  (let [parameters (layout/parameters protocol)
        workload-name (or workload-name (layout/usual-workload protocol))
        needs (rig/workload-needs protocol parameters)
        {:keys [setup clients recovery settle final] :as workload}
        (workloads/workload workload-name seed concurrency needs)
        opts (assoc opts :parameters parameters :workload workload-name)
        test (merge tests/noop-test
                    opts
                    {:name (str "plumbline-" protocol "-" workload-name)
                     :faults (layout/faults opts (:faults opts))
                     :origin (System/nanoTime)
                     :os os/noop
                     :db (db/db)
                     :client (client/client)})
        {:keys [generator final-generator perf] :as package} (nemesis/package test)]
    (assoc test
           :tls (layout/certificates test)
           :nemesis (:nemesis package)
           :checker (checkers/checker {:promised (layout/promised protocol)
                                            :own (layout/own-judges test)
                                            :last-reads (:last-reads needs)}
                                           workload-name workload perf)
           :generator (gen/phases
                       (gen/time-limit setup-seconds setup)
                       (gen/time-limit time-limit (gen/any (gen/stagger (/ 1 rate) clients)
                                                           (gen/nemesis generator)))
                       (gen/nemesis final-generator)
                       (gen/time-limit recovery-seconds recovery)
                       settle
                       (gen/time-limit final-seconds final)))))

(defn -main [& args]
  (cli/run! (cli/single-test-cmd {:test-fn plumbline-test :opt-spec options}) args))
