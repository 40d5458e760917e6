(ns plumbline.jepsen.local
  "One run on this machine without Jepsen: cluster, clients, faults, history."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [plumbline.jepsen.availability :as availability]
            [plumbline.jepsen.cluster :as cluster]
            [plumbline.jepsen.fault :as fault]
            [plumbline.jepsen.history :as history]
            [plumbline.jepsen.rig :as rig]
            [plumbline.jepsen.runner :as runner]
            [plumbline.jepsen.workload :as workload])
  (:import (dev.plumbline.protocol Protocols)
           (java.util.function Consumer)))

(defn databases-line
  "Which database each region has, from JDBC URLs by region."
  [urls]
  (str/join ", " (for [[region url] (into (sorted-map) urls)]
                   (str region " (" (second (re-find #"^jdbc:(\w+)" url)) ")"))))

(defn run
  "Runs what ./plumb jepsen asks for. Takes options with strings for keys; returns a map with strings
  for keys: model, cluster (where it ran, in words), history, seconds, recovery (seconds), unseen,
  stuck, unread, settled, and availability if the protocol says who goes on under these faults."
  [options ^Consumer progress]
  (let [{:keys [seconds clients seed folder faults rtt hosts store] :as options}
        (into {} (map (fn [[k v]] [(keyword k) v])) options)
        say #(.accept progress %)
        system (Protocols/named (:protocol options))
        kinds (fault/parse-kinds faults (set (map str (.tolerated system)))
                                 (not (.isEmpty (.storageKinds system))))
        {:keys [region-of-key last-reads] :as needs} (rig/workload-needs (:protocol options)
                                                                         (:parameters options))
        {:keys [model] :as workload} (workload/workload (:workload options) seed needs)
        promise (cond
                  (or region-of-key last-reads)
                  (when (some #{:partition} kinds) availability/cut-off)
                  (some #{:partition :kill :pause} kinds)
                  (rig/reaching (:protocol options) (:parameters options)))
        _ (say "starting the cluster")
        begin (System/nanoTime)
        {:keys [nodes hosted namespaced skewed regions delays] :as rig} (rig/up (assoc options :kinds kinds :model model))
        where (str (count nodes) " nodes in " (count hosted) " processes, "
                   (cond
                     (seq hosts) (str "hosts " (apply str (interpose ", " (take (count regions) hosts))))
                     namespaced (str (count regions) " network namespaces")
                     (:loopback options) "loopback"
                     :else "loopback (network namespaces take root, ip and iptables)")
                   (when (:sql options)
                     (if (seq (:databases options))
                       (str ", SQL at each region, with databases that ran already and no fault touches at "
                            (databases-line (:databases options)))
                       ", SQL at each region with a database of its own"))
                   (when store (str ", --store " store))
                   (when skewed ", oracles on wall clocks of their own")
                   ", links at " rtt "% of the published round trips, by " delays)]
    (try
      (say (format "%s, up in %.1f s" where (/ (- (System/nanoTime) begin) 1e9)))
      (let [schedule (fault/schedule kinds seconds seed (cluster/describe rig))
            result (runner/run-suite
                    {:cluster rig :workload workload :clients clients :seconds seconds
                     :schedule schedule
                     :file (io/file folder "history.edn") :progress say})]
        (cond-> {"model" model "cluster" where "history" (:history result)
                 "seconds" (:seconds result) "recovery" (:recovery result)
                 "unseen" (into (mapv #(str (name (:f %)) " " (:value %)) (:unseen result))
                                (for [kind (fault/missing kinds schedule)]
                                  (str (name kind) ": no time for it in " seconds " s")))
                 "stuck" (:stuck result) "unread" (:unread result) "settled" (:settled result)
                 "starved" (:starved result)
                 "commits" (update-keys (:commits result) name) "byClient" (:by-client result)
                 "load" (update-keys (:load result) name)}
          promise
          (assoc "availability"
                 (availability/verdict (history/read-file (:history result))
                                       (cond region-of-key (availability/of-keys region-of-key)
                                             last-reads (availability/of-sessions
                                                         #(rig/region rig %) regions clients)
                                             :else (availability/of-clients regions clients))
                                       regions
                                       #(rig/region rig %)
                                       promise))))
      (finally
        (rig/down rig)))))
