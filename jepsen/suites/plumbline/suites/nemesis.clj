(ns plumbline.suites.nemesis
  "Jepsen's own nemeses for partitions, SIGKILL and SIGSTOP, and one for the clocks that the machines
  read. Each says in its operation's value what shows that the fault happened."
  (:require [jepsen.control :as c]
            [jepsen.generator :as gen]
            [jepsen.nemesis :as nemesis]
            [jepsen.nemesis.combined :as combined]
            [jepsen.util :as util]
            [plumbline.jepsen.fault :as fault]
            [plumbline.suites.clocks :as clocks]
            [plumbline.suites.layout :as layout]))

(def kinds #{:partition :clock :kill :pause})

(def ^:private seen-seconds 4)

(defn- dropped
  "Packets that a node has dropped since its filters were emptied last, once there are some; 0 if none
  come."
  []
  (loop [tries (* 10 seen-seconds)]
    (let [n (fault/dropped-packets
             (c/su (c/exec :iptables :-w :-L :INPUT :-v :-x :-n)))]
      (if (or (pos? n) (zero? tries))
        n
        (do (Thread/sleep 100) (recur (dec tries)))))))

(defn- watched
  "A nemesis of partitions that counts what is dropped."
  [inner]
  (reify
    nemesis/Reflection
    (fs [_] (nemesis/fs inner))
    nemesis/Nemesis
    (setup! [_ test] (watched (nemesis/setup! inner test)))
    (invoke! [_ test {:keys [f] :as op}]
      (let [done (nemesis/invoke! inner test op)]
        (if (= :start-partition f)
          (let [[_ grudge] (:value done)
                cut (into (sorted-map) (for [[node others] grudge :when (seq others)]
                                         [node (vec (sort others))]))
                counts (into (sorted-map) (c/on-nodes test (vec (keys cut)) (fn [_ _] (dropped))))]
            (when (some zero? (vals counts))
              (throw (ex-info "a node dropped nothing" {:grudge cut :dropped counts})))
            (assoc done :value {:grudge cut :dropped counts}))
          done)))
    (teardown! [_ test] (nemesis/teardown! inner test))))

(defn- address [test id] (.get (.nodes (layout/client-config test)) id))

(defn- clock-nemesis []
  (reify
    nemesis/Reflection
    (fs [_] #{:start-clock :stop-clock})
    nemesis/Nemesis
    (setup! [this _] this)
    (invoke! [_ test {:keys [f value] :as op}]
      (case f
        :start-clock
        (let [half (some #(when (= :true-time (:clock %)) (:bound %)) (layout/processes test))
              seen (into (sorted-map)
                         (remove (comp nil? val))
                         (zipmap (keys value)
                                 (util/real-pmap
                                  (fn [[id fault]] (clocks/inflict! (address test id) id fault half))
                                  value)))]
          (when (empty? seen) (throw (ex-info "no clock could be reached" {:clocks value})))
          (assoc op :value {:clocks value :seen seen}))
        :stop-clock
        (let [ids (map :id (layout/processes test))]
          (assoc op :value {:right (vec (sort (keep identity
                                                    (util/real-pmap
                                                     #(when (clocks/restore! (address test %)) %)
                                                     ids))))}))))
    (teardown! [_ _])))

(defn- clock-package [test interval seed]
  (let [faults (atom (clocks/faults (:nodes test) (layout/processes test) seed))
        start (fn [_ _] {:type :info :f :start-clock :value (first (swap! faults rest))})
        stop {:type :info :f :stop-clock}]
    {:nemesis (clock-nemesis)
     :generator (gen/stagger interval (gen/flip-flop start (gen/repeat stop)))
     :final-generator stop
     :perf #{{:name "clock" :start #{:start-clock} :stop #{:stop-clock} :color "#A0E9DB"}}}))

(defn package
  "A nemesis package for kinds of fault; clocks come last, when all processes run again."
  [{:keys [db faults interval seed] :as test}]
  (let [options {:db db
                 :faults (set faults)
                 :partition {:targets [:one :majority :majorities-ring]}
                 :kill {:targets [:one :minority]}
                 :pause {:targets [:one :minority]}
                 :interval interval}]
    (combined/compose-packages
     (cond-> [(update (combined/partition-package options) :nemesis watched)
              (combined/db-package options)]
       (some #{:clock} faults) (conj (clock-package test interval seed))))))
