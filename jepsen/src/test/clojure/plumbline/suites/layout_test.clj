(ns plumbline.suites.layout-test
  (:require [clojure.java.io :as io]
            [clojure.java.shell :refer [sh]]
            [clojure.string :as str]
            [clojure.test :refer [deftest is]]
            [plumbline.jepsen.fault :as fault]
            [plumbline.jepsen.testing :as testing]
            [plumbline.suites.layout :as layout])
  (:import (dev.plumbline.node NodeConfig)
           (java.net DatagramPacket DatagramSocket InetAddress)))

(def ^:private k2
  {:protocol "k2" :parameters {"ttlMicros" 10000} :origin 7 :rtt 10 :tls "/somewhere"
   :nodes ["192.0.2.1" "192.0.2.2" "192.0.2.3" "192.0.2.4" "192.0.2.5"]})

(defn- folder [] (str (testing/folder)))

(deftest every-process-has-one-node
  (let [placed (layout/layout k2)]
    (is (= (set (:nodes k2)) (set (keys placed))))
    (is (= (count (layout/processes k2)) (count (distinct (mapcat val placed)))))
    (is (every? (fn [{:keys [id node]}] (some #{id} (placed node))) (layout/processes k2)))))

(def ^:private dast
  (assoc k2 :protocol "dast" :parameters (layout/parameters "dast")
            :nodes ["192.0.2.1" "192.0.2.2" "192.0.2.3"]))

(deftest another-protocol-has-its-nodes-parameters-and-promise
  (is (= ["m-r1" "r1s1n1" "r1s1n2" "r1s1n3"] (get (layout/layout dast) "192.0.2.1")))
  (is (= 5000000 (get (layout/parameters "dast") "suspectMicros")) "nodes are replaced")
  (is (= [:serializable :strict-serializable] (map layout/promised ["dast" "k2"]))))

(deftest what-only-one-protocol-promises-has-its-judge
  (is (= [0 1] (map (comp count layout/own-judges) [k2 dast])))
  (is (= ["list-append" "sessions"] (map layout/usual-workload ["k2" "engage"]))))

(deftest whole-regions-are-killed-only-where-that-is-tolerated
  (is (= [:partition :clock :pause :kill] (layout/faults k2 nil)))
  (is (= [:partition :clock :pause] (layout/faults dast nil)))
  (is (= [:pause] (layout/faults dast [:pause])))
  (is (thrown-with-msg? IllegalArgumentException #"dast does not tolerate; leave out kill"
                        (layout/faults dast [:partition :kill]))))

(deftest another-number-of-nodes-is-refused
  (is (thrown-with-msg? IllegalArgumentException #"k2 has 5 regions, .*; give 5 nodes instead of 4"
                        (layout/layout (update k2 :nodes pop)))))

(deftest oracles-are-bounded-in-microseconds-and-others-in-ppm
  (let [by-clock (group-by :clock (layout/processes k2))]
    (is (= #{:true-time :interval} (set (keys by-clock))))
    (is (every? #(str/starts-with? (:id %) "o-") (by-clock :true-time)))
    (is (every? #(pos? (:bound %)) (layout/processes k2)))))

(deftest a-node-can-read-its-configuration
  (let [file (io/file (folder) "dn-SH.yaml")
        node (first (:nodes k2))]
    (spit file (layout/yaml k2 node "dn-SH"))
    (let [config (NodeConfig/read (.toPath file))]
      (is (= "dn-SH" (.node config)))
      (is (= "/opt/plumbline/var/192.0.2.1/data/dn-SH" (.data config)))
      (is (= "/opt/plumbline/var/192.0.2.1/tls" (.tls config)))
      (is (.faults config))
      (is (= 7 (.origin config)))
      (is (= (dec (count (layout/processes k2))) (count (.delayMicros config))))
      (is (< (get (.delayMicros config) "o-SH") (get (.delayMicros config) "o-SG"))
          "the same region is nearer"))))

(deftest an-unknown-bug-is-refused-by-the-node
  (let [file (io/file (folder) "dn-SH.yaml")]
    (spit file (layout/yaml (assoc k2 :bug "no-such") "192.0.2.1" "dn-SH"))
    (is (thrown-with-msg? RuntimeException #"no seeded bug no-such" (NodeConfig/read (.toPath file))))))

(defn- bash [script] (:out (sh "bash" "-c" script)))

(deftest signals-reach-a-process-and-no-other-with-its-number
  (let [home (folder)
        ours (.start (ProcessBuilder. ^java.util.List ["bash" "-c" "sleep 60; :" (str home "/conf/a.yaml")]))
        other (.start (ProcessBuilder. ^java.util.List ["sleep" "60"]))]
    (try
      (with-redefs [layout/folder (fn [_ part] (str home "/" part))]
        (.mkdirs (io/file home "run"))
        (spit (layout/pid-file "n" "a") (.pid ours))
        (spit (layout/pid-file "n" "b") (.pid other))
        (let [state #(fault/process-state (get (layout/stats (bash (layout/stats-script "n" ["a" "b" "c"]))) %))
              signal #(bash (layout/signal-script "n" ["a" "b" "c"] %))]
          (is (= "S" (state "a")))
          (is (nil? (state "b")) "another program has this number")
          (is (nil? (state "c")) "no file")
          (signal :STOP)
          (is (some #(= "T" %) (repeatedly 100 #(do (Thread/sleep 10) (state "a")))))
          (signal :CONT)
          (signal :KILL)
          (.waitFor ours)
          (is (nil? (state "a")))
          (is (.isAlive other))
          (bash (layout/forget-script "n" ["a" "b"]))
          (is (empty? (.list (io/file home "run"))))))
      (finally
        (.destroyForcibly ours)
        (.destroyForcibly other)))))

(deftest probes-arrive-where-nothing-is-cut
  (with-open [socket (DatagramSocket. 0 (InetAddress/getByName "127.0.0.1"))]
    (.setSoTimeout socket 5000)
    (bash (layout/probe-script ["127.0.0.1" "127.0.0.1"] (.getLocalPort socket)))
    (is (= [6 6] (repeatedly 2 #(let [packet (DatagramPacket. (byte-array 100) 100)]
                                  (.receive socket packet)
                                  (.getLength packet)))))))
