(ns plumbline.suites.db
  "The cluster as a Jepsen database. Every Jepsen node is a region with its roles' processes. Node
  names are addresses, in the order of the protocol's regions; each node finds the class path under
  /opt/plumbline/lib."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [jepsen.control :as c]
            [jepsen.control.util :as cu]
            [jepsen.db :as db])
  (:import (dev.plumbline.cluster AdminPort Certificates Cluster RttProfiles)
           (dev.plumbline.node NodeConfig NodeConfig$Address)
           (dev.plumbline.sim NodeSpec Protocols Settings Topology)
           (java.nio.file Files)
           (java.nio.file.attribute FileAttribute)))

(def ^:private home "/opt/plumbline")
(def ^:private first-port 21300)
(def ^:private first-admin-port 22300)

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

(defn certificates
  "Makes a test's certificates in a new folder of the control node; returns its path."
  [test]
  (let [folder (Files/createTempDirectory "plumbline-tls" (make-array FileAttribute 0))]
    (Certificates/make folder (conj (mapcat val (layout test)) Cluster/CLIENT))
    (str folder)))

(defn config
  "The cluster's configuration, with certificates in a folder. The reference clock's origin is the
  test's own: all nodes have to share one machine's monotonic clock, as network namespaces do."
  ^NodeConfig [{:keys [protocol parameters bug origin] :as test} tls]
  (let [node-of (into {} (for [[node ids] (layout test), id ids] [id node]))
        addresses (into (array-map)
                        (map-indexed (fn [i id] [id (NodeConfig$Address. (node-of id)
                                                                         (int (+ first-port i))
                                                                         (int (+ first-admin-port i)))]))
                        (sort (keys node-of)))]
    (NodeConfig. protocol nil addresses nil (str home "/trace") 0 tls origin
                 (java.util.TreeMap. ^java.util.Map parameters) nil true false bug
                 (when bug (str home "/bugs")))))

(defn- delays
  "Microseconds that the shaper of a node adds, by receiver: half of the round trip's share."
  [{:keys [rtt] :as test} id]
  (let [t (topology test)
        table (RttProfiles/scaled (.network t) rtt)
        region (into {} (for [^NodeSpec n (owners t)] [(.id n) (.index table (.region n))]))]
    (into {} (for [[other r] region :when (not= id other)]
               [other (quot (.rttMicros table (region id) r) 2)]))))

(defn- yaml [^NodeConfig config]
  (let [file (Files/createTempFile "plumbline" ".yaml" (make-array FileAttribute 0))]
    (.write config file)
    (slurp (str file))))

(defn- pidfile [id] (str home "/run/" id ".pid"))

(defn start-process! [id]
  (c/su (cu/start-daemon! {:logfile (str home "/out/" id ".log")
                           :pidfile (pidfile id)
                           :chdir home}
                          "java" "-Xmx160m" "-XX:+UseSerialGC" "-XX:TieredStopAtLevel=1"
                          "-cp" (str home "/lib/classes:" home "/lib/*")
                          "dev.plumbline.node.NodeMain" (str home "/conf/" id ".yaml"))))

(defn signal-process! [id signal]
  (c/su (c/exec :bash :-c (str "test ! -e " (pidfile id) " || kill -" signal " $(cat " (pidfile id) ") || true"))))

(defn db []
  (reify
    db/DB
    (setup! [_ test node]
      (c/su (c/exec :mkdir :-p (map #(str home "/" %) ["run" "out" "conf" "tls"]))
            (doseq [id (get (layout test) node)]
              (cu/write-file! (yaml (.as (config test (str home "/tls")) id (str home "/data/" id)
                                         (delays test id)))
                              (str home "/conf/" id ".yaml")))
            (doseq [file (cons "ca.pem" (mapcat #(vector (str % ".pem") (str % ".key"))
                                                (get (layout test) node)))]
              (c/upload (str (:tls test) "/" file) (str home "/tls/" file))))
      (doseq [id (get (layout test) node)] (start-process! id))
      (let [addresses (.nodes (config test (:tls test)))]
        (doseq [id (get (layout test) node)]
          (loop [tries 100]
            (when-not (try (AdminPort/health (.get addresses id))
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
