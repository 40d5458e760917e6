(ns plumbline.jepsen.memory
  "A serial store in memory, to test the runner with. With :forget it loses that share of the
  writes but the first, with :stop-after it answers so many transactions and then none, with :unknown
  it gives no answer to that share of the transactions, with :throw it runs that share and throws.
  With :late it gives no answer at first to that share, but one if asked again; with :never none to
  these transactions, counted from 1, however often it is asked. A fault :slow takes :stop-millis to
  end, one :stuck does not end. :healed, an atom, counts healings."
  (:require [plumbline.jepsen.cluster :as cluster])
  (:import (java.util Random)))

(defn- apply-micro [{:keys [amount]} [state done] [f k v]]
  (let [nth-write (count (filter #(= :w (first %)) done))]
    (case f
      :r [state (conj done [:r k (state k)])]
      :append [(update state k (fnil conj []) v) (conj done [f k v])]
      :w (let [v (or v (+ (state k) (if (zero? nth-write) (- amount) amount)))]
           [(assoc state k v) (conj done [:w k v])]))))

(defn- read-at [versions at]
  (val (first (rsubseq versions <= at))))

(deftype Store [versions ^Random random options]
  cluster/Cluster
  (describe [_] {:nodes ["n1"] :processes []})
  (client [_ _]
    (reify cluster/Client
      (prepare! [_ {:keys [read staleness] :as op}]
        (let [[newest _] (key (first (rseq @versions)))]
          (cond-> (dissoc op :staleness)
            (= :snapshot read) (assoc :at [(max 0 (- newest (quot staleness 10000))) 0]))))
      (invoke! [_ {:keys [value at] :as op}]
        (let [chance #(< (.nextDouble random) (% options 0))]
          (locking versions
            (let [now (inc (first (key (first (rseq @versions)))))
                  state (if at (read-at @versions at) (val (first (rseq @versions))))
                  [after done] (reduce (partial apply-micro op) [state []] value)
                  ts [now 0]]
              (Thread/sleep 1)
              (when-not at
                (vswap! versions assoc ts (if (and (seq state) (chance :forget)) state after)))
              (let [ok (cond-> (assoc op :type :ok :value done)
                         (not at) (assoc :ts ts))]
                (cond
                  (> now (:stop-after options Long/MAX_VALUE)) (assoc op :type :fail :error "stopped")
                  (chance :throw) (throw (ex-info "no connection" {}))
                  (chance :unknown) (assoc op :type :info :ts (when-not at ts) :error "no answer")
                  ((:never options #{}) now) (letfn [(ask [] (assoc op :type :info :error "no answer yet" :settle ask))] (ask))
                  (chance :late) (assoc op :type :info :error "no answer yet" :settle (fn [] ok))
                  :else ok))))))
      (close! [_])))
  (start-fault! [_ kind value]
    (when (= :flood kind) (throw (ex-info "no flood here" {})))
    (assoc value :seen (str "start " (name kind))))
  (stop-fault! [_ kind value]
    (when (= :slow kind) (Thread/sleep (long (:stop-millis options 0))))
    (when (= :stuck kind) (throw (ex-info "it goes on" {})))
    (assoc value :seen (str "stop " (name kind))))
  (heal! [_] (some-> (:healed options) (swap! inc))))

(defn store [options] (->Store (volatile! (sorted-map [0 0] {})) (Random. 1) options))
