(ns plumbline.suites.db
  "The cluster as a Jepsen database. Every Jepsen node is a region with its roles' processes. Node
  names are addresses, in the order of the protocol's regions; each node finds the class path under
  /opt/plumbline/lib."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [jepsen.control :as c]
            [jepsen.control.util :as cu]
            [jepsen.db :as db])
  (:import (com.fasterxml.jackson.databind ObjectMapper)
           (dev.plumbline.rig RigClient RigConfig RigConfig$Address)
           (dev.plumbline.sim NodeSpec Protocols Settings Topology)))

(def ^:private home "/opt/plumbline")
(def ^:private first-port 21300)

(defn- topology ^Topology [{:keys [protocol parameters]}]
  (let [system (Protocols/named protocol)]
    (.topology system (Settings. (.clockBounds system) (java.util.TreeSet.)
                                 (java.util.TreeMap. ^java.util.Map parameters)))))

(defn- owners
  "The node that plays each role first, by role."
  [topology]
  (vals (reduce (fn [m ^NodeSpec n] (update m (.role n) #(or % n)))
                (sorted-map) (.nodes ^Topology topology))))

(defn layout
  "Jepsen's node to the ids of the processes on it."
  [{:keys [nodes] :as test}]
  (let [t (topology test)
        node-of (zipmap (.regions t) nodes)]
    (group-by (fn [id] (node-of (.region ^NodeSpec (first (filter #(= id (.id ^NodeSpec %)) (.nodes t))))))
              (sort (map #(.id ^NodeSpec %) (owners t))))))

(defn config
  "The cluster's configuration. The reference clock's origin is the test's own: all nodes have to
  share one machine's monotonic clock, as network namespaces do."
  [{:keys [protocol parameters bug rtt origin] :as test}]
  (let [ids (sort (mapcat val (layout test)))
        node-of (into {} (for [[node ids] (layout test), id ids] [id node]))]
    (RigConfig. protocol origin (java.util.TreeMap. ^java.util.Map parameters) bug
                (when bug (str home "/bugs")) rtt (str home "/data") (str home "/trace")
                (java.util.TreeMap.
                 ^java.util.Map
                 (into {} (map-indexed (fn [i id] [id (RigConfig$Address. (node-of id)
                                                                         (int (+ first-port i)))]))
                       ids)))))

(defn- pidfile [id] (str home "/run/" id ".pid"))

(defn start-process! [id]
  (c/su (cu/start-daemon! {:logfile (str home "/out/" id ".log")
                           :pidfile (pidfile id)
                           :chdir home}
                          "java" "-Xmx160m" "-XX:+UseSerialGC" "-XX:TieredStopAtLevel=1"
                          "-cp" (str home "/lib/classes:" home "/lib/*")
                          "dev.plumbline.rig.RigNode" (str home "/cluster.json") id)))

(defn signal-process! [id signal]
  (c/su (c/exec :bash :-c (str "test ! -e " (pidfile id) " || kill -" signal " $(cat " (pidfile id) ") || true"))))

(defn db []
  (reify
    db/DB
    (setup! [_ test node]
      (c/su (c/exec :mkdir :-p (str home "/run") (str home "/out"))
            (cu/write-file! (.writeValueAsString (ObjectMapper.) (config test))
                            (str home "/cluster.json")))
      (doseq [id (get (layout test) node)] (start-process! id))
      (let [^RigConfig cluster (config test)]
        (doseq [id (get (layout test) node)]
          (loop [tries 100]
            (when-not (try (RigClient/admin (.get (.nodes cluster) id) {})
                           (catch java.io.IOException e
                             (when (zero? tries) (throw e))))
              (Thread/sleep 200)
              (recur (dec tries)))))))
    (teardown! [_ test node]
      (doseq [id (get (layout test) node)] (signal-process! id "KILL"))
      (c/su (doseq [id (get (layout test) node)]
              (c/exec :rm :-rf (str home "/data/" id) (str home "/trace/" id ".ndjson") (pidfile id)))))

    db/LogFiles
    (log-files [_ test node]
      (into {} (for [id (get (layout test) node)]
                 [(str home "/trace/" id ".ndjson") (str "trace-" id ".ndjson")])))

    db/Kill
    (start! [_ test node] (doseq [id (get (layout test) node)] (start-process! id)) :started)
    (kill! [_ test node]
      (doseq [id (get (layout test) node)] (signal-process! id "KILL"))
      :killed)

    db/Pause
    (pause! [_ test node] (doseq [id (get (layout test) node)] (signal-process! id "STOP")) :paused)
    (resume! [_ test node] (doseq [id (get (layout test) node)] (signal-process! id "CONT")) :resumed)))
