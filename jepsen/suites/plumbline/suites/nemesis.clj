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
            [plumbline.suites.layout :as layout]
            [plumbline.suites.schedule :as schedule])
  (:import (java.util Random)))

(def kinds #{:partition :clock :kill :pause})

(def ^:private probe-port "Of datagrams that are to be dropped: discard." 9)

(defn- probe!
  "Sends a datagram from each node to each node that is to drop it, and returns how many packets each
  has dropped since its filters were emptied last. `cut`: node to the nodes it drops packets of."
  [test cut]
  (let [receivers (apply merge-with into (for [[to froms] cut, from froms] {from [to]}))]
    (c/on-nodes test (vec (keys receivers))
                (fn [_ from]
                  (c/exec :bash :-c (layout/probe-script (receivers from) probe-port))))
    (into (sorted-map)
          (c/on-nodes test (vec (keys cut))
                      (fn [_ _] (fault/dropped-packets
                                 (c/su (c/exec :iptables :-w :-L :INPUT :-v :-x :-n))))))))

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
                dropped (probe! test cut)]
            (when (some zero? (vals dropped))
              (throw (ex-info "a node dropped nothing" {:grudge cut :dropped dropped})))
            (assoc done :value {:grudge cut :dropped dropped}))
          done)))
    (teardown! [_ test] (nemesis/teardown! inner test))))

(defn- clock-nemesis []
  (reify
    nemesis/Reflection
    (fs [_] #{:start-clock :stop-clock})
    nemesis/Nemesis
    (setup! [this _] this)
    (invoke! [_ test {:keys [f value] :as op}]
      (case f
        :start-clock
        (let [cluster (layout/client-config test)
              half (some #(when (= :true-time (:clock %)) (:bound %)) (layout/processes test))
              seen (into (sorted-map)
                         (remove (comp nil? val))
                         (zipmap (keys value)
                                 (util/real-pmap
                                  (fn [[id fault]] (clocks/inflict! cluster id fault half))
                                  value)))]
          (when (empty? seen) (throw (ex-info "no clock could be reached" {:clocks value})))
          (assoc op :value {:clocks value :seen seen}))
        :stop-clock
        (let [cluster (layout/client-config test)
              ids (map :id (layout/processes test))]
          (assoc op :value {:right (vec (sort (keep identity
                                                    (util/real-pmap
                                                     #(when (clocks/restore! cluster %) %)
                                                     ids))))}))))
    (teardown! [_ _])))

(defn- beginnings
  "Kind of fault to a function that returns an operation that begins one."
  [test seed]
  (let [random (Random. seed)
        pick #(nth % (.nextInt random (count %)))
        clocks (atom (clocks/faults (:nodes test) (layout/processes test) seed))]
    {:partition #(hash-map :f :start-partition :value (pick [:one :majority :majorities-ring]))
     :clock #(hash-map :f :start-clock :value (first (swap! clocks rest)))
     :kill #(hash-map :f :kill :value (pick [:one :minority]))
     :pause #(hash-map :f :pause :value (pick [:one :minority]))}))

(def ^:private ends
  "Kind of fault to the operation that ends all of its kind."
  {:partition {:f :stop-partition} :pause {:f :resume :value :all} :kill {:f :start :value :all}
   :clock {:f :stop-clock}})

(defn- op [fields] (gen/once (assoc fields :type :info)))

(defn package
  "{:nemesis, :generator, :final-generator, :perf} for the kinds of fault of a test. A fault lasts for
  :interval seconds, as does the quiet after it."
  [{:keys [db faults interval seed] :as test}]
  (let [begin (beginnings test seed)]
    {:nemesis (nemesis/compose [(watched (combined/partition-nemesis db))
                                (combined/db-nemesis db)
                                (clock-nemesis)])
     :generator (for [[what kind] (schedule/steps faults)]
                  (case what
                    :begin (op ((begin kind)))
                    :end (op (ends kind))
                    :wait (gen/sleep interval)))
     :final-generator (map (comp op ends) (filter (set faults) schedule/healing))
     :perf #{{:name "partition" :start #{:start-partition} :stop #{:stop-partition} :color "#E9DCA0"}
             {:name "kill" :start #{:kill} :stop #{:start} :color "#E9A4A0"}
             {:name "pause" :start #{:pause} :stop #{:resume} :color "#A0B1E9"}
             {:name "clock" :start #{:start-clock} :stop #{:stop-clock} :color "#A0E9DB"}}}))
