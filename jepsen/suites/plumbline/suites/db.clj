(ns plumbline.suites.db
  "The cluster as a Jepsen database; each node finds the class path under /opt/plumbline/lib. What is
  done to processes is looked at afterwards, and is an error where it cannot be seen."
  (:require [jepsen.control :as c]
            [jepsen.control.util :as cu]
            [jepsen.db :as db]
            [plumbline.jepsen.fault :as fault]
            [plumbline.suites.layout :as layout])
  (:import (dev.plumbline.cluster AdminPort)
           (dev.plumbline.node NodeConfig)))

(def ^:private start-seconds 120)
(def ^:private seen-seconds 4)

(defn- ids [test node] (get (layout/layout test) node))

(defn- await-true
  "Polls until f returns something true, and returns it; throws with the message after a while."
  [seconds message f]
  (let [end (+ (System/nanoTime) (* seconds 1000000000))]
    (loop []
      (or (f)
          (if (< (System/nanoTime) end)
            (do (Thread/sleep 50) (recur))
            (throw (ex-info message {})))))))

(defn- sh [script] (c/exec :bash :-c script))

(defn- running
  "Id to /proc/PID/stat of those processes on the current node that run."
  [node ids]
  (into {} (remove (comp fault/gone? val)) (layout/stats (sh (layout/stats-script node ids)))))

(defn- start-processes!
  "Starts those that do not run; their epochs."
  [test node]
  (let [cluster (layout/client-config test)
        starting (vec (remove (running node (ids test node)) (ids test node)))]
    (when (seq starting) (sh (layout/forget-script node starting)))
    (doseq [id starting]
      (apply cu/start-daemon! {:logfile (layout/log-file node id)
                               :pidfile (layout/pid-file node id)
                               :match-executable? false
                               :chdir "/"}
             (layout/launch-command node id)))
    (into (sorted-map)
          (for [id starting]
            [id (await-true start-seconds (str id " does not answer; see its log")
                            #(try (.asLong (.path (AdminPort/health cluster id) "epoch"))
                                  (catch java.io.IOException _ nil)))]))))

(defn- signal-processes!
  "Sends all processes of a node that run a signal, and waits until each one's /proc/PID/stat (nil
  once it ended) is as asked for; which they are."
  [test node signal wanted? message]
  (let [ids (vec (sort (keys (running node (ids test node)))))]
    (when (seq ids)
      (sh (layout/signal-script node ids signal))
      (await-true seen-seconds (str message ": " ids)
                  #(let [now (running node ids)] (every? (comp wanted? now) ids))))
    ids))

(defn- kill-processes! [test node]
  (let [ids (signal-processes! test node :KILL nil? "did not end")]
    (when (seq ids) (sh (layout/forget-script node ids)))
    ids))

(defn db []
  (reify
    db/DB
    (setup! [_ test node]
      (c/su
       (c/exec :mkdir :-p (map #(layout/folder node %) ["run" "out" "conf" "tls" "trace" "data"]))
       (doseq [id (ids test node)]
         (cu/write-file! (layout/yaml test node id) (layout/config-file node id)))
       (doseq [file (list* "ca.pem" NodeConfig/SECRET layout/token (mapcat #(vector (str % ".pem") (str % ".key")) (ids test node)))]
         (c/upload (str (:tls test) "/" file) (str (layout/folder node "tls") "/" file)))
       (start-processes! test node)))
    (teardown! [_ test node]
      (c/su (kill-processes! test node)
            (c/exec :rm :-rf (layout/folder node ""))))

    db/LogFiles
    (log-files [_ test node]
      (into {} (mapcat (fn [id] [[(layout/trace-file node id) (str "trace/" id ".ndjson")]
                                 [(layout/log-file node id) (str "out/" id ".log")]]))
            (ids test node)))

    db/Kill
    (start! [_ test node] (c/su {:epochs (start-processes! test node)}))
    (kill! [_ test node] (c/su {:gone (kill-processes! test node)}))

    db/Pause
    (pause! [_ test node]
      (c/su {:stopped (signal-processes! test node :STOP fault/stopped? "did not stop")}))
    (resume! [_ test node]
      (c/su {:running (signal-processes! test node :CONT (complement fault/stopped?)
                                        "still stand")}))))
