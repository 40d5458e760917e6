(ns plumbline.suites.layout
  "Where the processes of a cluster run, how they are configured, and the commands that start, end
  and look at them. Needs no Jepsen and runs nothing.

  Every Jepsen node is a region with its roles' processes. Nodes are named by addresses, in the order
  of the protocol's regions. Everything of a node is under /opt/plumbline/var/NODE, so that nodes may
  share a file system, as network namespaces do."
  (:require [clojure.string :as str]
            [plumbline.jepsen.fault :as fault])
  (:import (dev.plumbline.cluster Certificates Cluster RttProfiles)
           (dev.plumbline.node NodeConfig NodeConfig$Address)
           (dev.plumbline.protocol HistoryChecker NodeSpec ProtocolSystem Protocols Settings Topology)
           (java.nio.file Files)
           (java.nio.file.attribute FileAttribute)
           (java.util TreeMap TreeSet)))

(def ^:private home "/opt/plumbline")
(def ^:private first-port 21300)
(def ^:private first-admin-port 22300)

(defn protocols
  "The names of the protocols that have machines."
  []
  (map #(.name ^ProtocolSystem %) (Protocols/all)))

(defn folder
  "A folder of one node."
  [node part]
  (str home "/var/" node "/" part))

(defn- settings ^Settings [{:keys [protocol parameters]}]
  (Settings. (.clockBounds (Protocols/named protocol)) (TreeSet.)
             (TreeMap. ^java.util.Map parameters)))

(defn- topology ^Topology [{:keys [protocol] :as test}]
  (.topology (Protocols/named protocol) (settings test)))

(defn- owners
  "The node that plays each role first, in the order of the roles."
  [test]
  (vals (NodeConfig/owners (topology test))))

(defn layout
  "Jepsen's node to the ids of the processes on it."
  [{:keys [nodes protocol] :as test}]
  (let [regions (.regions (topology test))]
    (when (not= (count regions) (count nodes))
      (throw (IllegalArgumentException.
              (str protocol " has " (count regions) " regions, " (str/join ", " regions) "; give "
                   (count regions) " nodes instead of " (count nodes)))))
    (update-vals (group-by #((zipmap regions nodes) (.region ^NodeSpec %)) (owners test))
                 (fn [specs] (sort (map #(.id ^NodeSpec %) specs))))))

(defn parameters
  "What a protocol's processes run with in a cluster on one machine."
  [protocol]
  (let [system (Protocols/named protocol)]
    (into (sorted-map) (concat (.processParameters system) (.clusterParameters system)))))

(defn usual-workload "What a protocol's clients do unless told otherwise." [protocol]
  (first (.workloads (Protocols/named protocol))))

(defn promised
  "The consistency model that a protocol promises, such as :serializable."
  [protocol]
  (keyword (.word (.model (Protocols/named protocol)))))

(defn own-judges
  "Functions of a history to a judgement, of what only a test's protocol promises its clients."
  [{:keys [protocol] :as test}]
  (let [settings (settings test)]
    (mapv (fn [^HistoryChecker checker] #(.check checker % settings)) (.checkers (Protocols/named protocol)))))

(defn region-may-end?
  "Whether the protocol tolerates that all processes of a region are killed at once, as Jepsen's
  nemesis does."
  [{:keys [protocol] :as test}]
  (let [system (Protocols/named protocol)
        settings (settings test)]
    (every? #(.mayCrashTogether system % #{} settings)
            (vals (group-by #(.region ^NodeSpec %) (owners test))))))

(defn faults
  "The kinds of fault of a run: those asked for, or all that the protocol bears when whole regions are
  struck."
  [test asked]
  (let [bears (cond-> [:partition :clock :pause] (region-may-end? test) (conj :kill))]
    (doseq [kind asked :when (not-any? #{kind} bears)]
      (throw (IllegalArgumentException.
              (str "the suites kill whole regions, which " (:protocol test) " does not tolerate; "
                   "leave out " (name kind) " (./plumb jepsen kills single processes)"))))
    (or asked bears)))

(defn processes
  "What plumbline.jepsen.fault/schedule needs to know of the processes, and on which node each is."
  [test]
  (let [bounds (.clockBounds (Protocols/named (:protocol test)))
        node-of (into {} (for [[node ids] (layout test), id ids] [id node]))]
    (sort-by :id
             (for [^NodeSpec n (owners test)]
               (merge (fault/clock (.trueTime n) (.epsilonMicros bounds) (.driftPpm bounds))
                      {:id (.id n) :node (node-of (.id n))})))))

(def token "The file, among the certificates, with what the nodes want to be shown with a fault."
  "faults.token")

(defn certificates
  "Makes a test's certificates, and its token for faults, in a new folder of the control node;
  returns its path."
  [test]
  (let [folder (Files/createTempDirectory "plumbline-tls" (make-array FileAttribute 0))]
    (Certificates/make folder (conj (mapcat val (layout test)) Cluster/CLIENT))
    (Certificates/token (.resolve folder ^String token))
    (str folder)))

(defn- config
  "The cluster's configuration, with traces and certificates in these folders. The reference clock's
  origin is the test's: all nodes have to share one machine's monotonic clock, as network namespaces
  do."
  ^NodeConfig [{:keys [protocol parameters bug origin] :as test} trace tls]
  (let [addresses (into (array-map)
                        (map-indexed (fn [i {:keys [id node]}]
                                       [id (NodeConfig$Address. node (int (+ first-port i))
                                                                (int (+ first-admin-port i)))]))
                        (processes test))]
    (NodeConfig. protocol nil addresses nil trace 0 tls origin nil
                 (TreeMap. ^java.util.Map parameters) nil nil 0 nil (str tls "/" token) false nil bug
                 (when bug (str home "/bugs")) nil)))

(defn client-config
  "The configuration that clients need."
  ^NodeConfig [{:keys [tls] :as test}]
  (config test nil tls))

(defn- delays
  "Microseconds that the shaper of a process adds, by receiver: half of the round trip's share."
  [{:keys [rtt] :as test} id]
  (let [table (RttProfiles/scaled (.network (topology test)) rtt)
        region (into {} (for [^NodeSpec n (owners test)] [(.id n) (.index table (.region n))]))]
    (into {} (for [[other r] region :when (not= id other)]
               [other (quot (.rttMicros table (region id) r) 2)]))))

(defn yaml
  "The configuration file of one process."
  [test node id]
  (let [file (Files/createTempFile "plumbline" ".yaml" (make-array FileAttribute 0))]
    (try
      (.write (.as (config test (folder node "trace") (folder node "tls")) id
                   (str (folder node "data") "/" id) (delays test id))
              file)
      (slurp (str file))
      (finally (Files/delete file)))))

(defn config-file [node id] (str (folder node "conf") "/" id ".yaml"))
(defn log-file [node id] (str (folder node "out") "/" id ".log"))
(defn trace-file [node id] (str (folder node "trace") "/" id ".ndjson"))
(defn pid-file [node id] (str (folder node "run") "/" id ".pid"))

(defn launch-command
  "Runs one process in the foreground, as program and arguments."
  [node id]
  ["/usr/bin/env" "java" "-Xmx128m" "-Xss512k" "-XX:+UseSerialGC" "-XX:TieredStopAtLevel=1"
   "-XX:-UsePerfData" "-Dio.netty.allocator.type=unpooled"
   "-cp" (str home "/lib/classes:" home "/lib/*")
   "dev.plumbline.node.NodeMain" (config-file node id)])

(defn- with-running
  "Shell commands, one for each process, that set pid and run a command if the process runs: a number
  in a file that another program has by now is not it."
  [node ids command]
  (str/join "; " (for [id ids]
                   (str "pid=$(cat " (pid-file node id) " 2>/dev/null)"
                        " && grep -qaF " (config-file node id) " /proc/$pid/cmdline 2>/dev/null"
                        " && " (command id) " || true"))))

(defn stats-script
  "A shell command that prints id and /proc/PID/stat of each of these processes that runs."
  [node ids]
  (with-running node ids #(str "echo " % " $(cat /proc/$pid/stat)")))

(defn stats
  "Id to /proc/PID/stat from the output of `stats-script`."
  [output]
  (into {} (for [line (str/split-lines output)
                 :let [[id stat] (str/split line #" " 2)]
                 :when stat]
             [id stat])))

(defn signal-script
  "A shell command that sends a signal to each of these processes that runs."
  [node ids signal]
  (with-running node ids (fn [_] (str "kill -" (name signal) " $pid"))))

(defn forget-script
  "A shell command that deletes these processes' pid files."
  [node ids]
  (str "rm -f " (str/join " " (map #(pid-file node %) ids))))

(defn probe-script
  "A shell command that sends a datagram to a port of each of these nodes."
  [nodes port]
  (str/join "; " (for [node nodes] (str "echo probe >/dev/udp/" node "/" port " || true"))))
